"""Who builds it: crews, schedule, faults and money of the planned site, simulated."""
