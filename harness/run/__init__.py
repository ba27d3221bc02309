"""One run: what it times, its processes, rounds, warnings and state."""
