"""Closed formulas of electricity, coolant, fibre and structure: numbers in, numbers out. Nothing here knows a cluster."""
