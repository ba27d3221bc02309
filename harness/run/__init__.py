"""One run: its benchmarks, processes, rounds and warnings, and the record it fills."""
