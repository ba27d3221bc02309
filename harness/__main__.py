"""python -m slidebench.harness"""

from slidebench.harness.cli import main

main()
