"""Raw bytes of a tool to facts. Pure; never raises on any input; accounts for every line."""
