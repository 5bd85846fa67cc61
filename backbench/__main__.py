"""`python -m backbench` does what the command `backbench` does."""

import sys

from backbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
