"""The studio: thin."""
