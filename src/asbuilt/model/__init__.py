"""The documents that pass from stage to stage. No behaviour beyond construction and lookup."""
