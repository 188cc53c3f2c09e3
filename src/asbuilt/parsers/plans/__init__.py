"""Other people's plans to a partial plan."""
