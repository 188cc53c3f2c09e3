"""What cables run through: trays, routes, trunks, panels, and the channel of every link with its loss."""
