"""The parts of a cluster import that need no cluster: rules, files, and the call of the native worker."""
