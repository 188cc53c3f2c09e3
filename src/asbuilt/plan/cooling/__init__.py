"""From the plate of a CDU to the cold plate: loops, headers, branches, manifolds, fittings; and the air of each row."""
