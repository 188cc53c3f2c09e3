"""The twin: the planned fabric, rendered as the tools would show it, with faults."""
