"""The machine code of built kernels: audit, disassembly, models. Needs the `audit` extra."""
