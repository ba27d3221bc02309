"""Chess in, counts out: notation, suites, perft over threads, and whether a kernel is right."""
