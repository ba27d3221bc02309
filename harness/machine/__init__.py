"""This computer's CPU: its description, and the latency and throughput of its instructions."""
