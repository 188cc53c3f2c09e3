"""Ground floor: problems, origins, units, host sets, table schemas, decoding, kernels. Knows nothing of clusters."""
