"""The `atoll` command, also as `python -m atoll`."""

import sys

from atoll.cli import main

if __name__ == "__main__":
    sys.exit(main())
