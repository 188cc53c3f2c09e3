"""Design to the complete as-designed record: tables of every rack, node, switch, port, link and part."""
