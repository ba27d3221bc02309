"""Other computers, through a dask.distributed cluster. Needs the `cluster` extra."""
