"""From the utility to the outlet: feeds, busways, circuits, PDUs, cords, shelves and busbars of every rack."""
