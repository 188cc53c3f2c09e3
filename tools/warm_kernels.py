"""Compiles the kernels once, so that the first large job does not wait for it. Called by ``make setup``."""

from __future__ import annotations

import sys


def main() -> int:
    from asbuilt.base.kernel import Engine

    Engine.mode = "numba"
    from asbuilt.parsers.ibnetdiscover import parse

    text = b'switchguid=0x10(10)\nSwitch\t1 "S-0000000000000010"\t\t# "leaf" enhanced port 0 lid 1 lmc 0\n'
    parse(text, "warm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
