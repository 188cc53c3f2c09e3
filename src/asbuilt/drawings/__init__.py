"""Plan and sizing to SVG."""
