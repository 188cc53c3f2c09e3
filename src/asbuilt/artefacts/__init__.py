"""Files for someone else's program or hands."""
