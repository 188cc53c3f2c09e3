"""Use cases: the only callers of all stages."""
