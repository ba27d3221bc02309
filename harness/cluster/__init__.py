"""Perft and runs on other computers, through a dask.distributed cluster. Needs the `cluster` extra."""
