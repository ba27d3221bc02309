"""Names of instructions, as iced-x86 numbers them."""

import iced_x86

MNEMONICS = {value: name.lower() for name, value in vars(iced_x86.Mnemonic).items() if isinstance(value, int)}
