"""``python -m asbuilt``."""

import sys

from asbuilt.cli.main import main

sys.exit(main())
