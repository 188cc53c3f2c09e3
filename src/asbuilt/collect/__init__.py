"""Running the capture set on a fleet through existing engines. It may use the network, the clock and processes."""
