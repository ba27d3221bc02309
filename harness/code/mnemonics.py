"""Lower-case mnemonics by their number in iced-x86."""

import iced_x86

MNEMONICS = {value: name.lower() for name, value in vars(iced_x86.Mnemonic).items() if isinstance(value, int)}
