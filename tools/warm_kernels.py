"""Compiles the kernels once, so that the first large job does not wait for it. Called by ``make setup``."""

from __future__ import annotations

import sys


def main() -> int:
    import numpy as np

    from asbuilt.base.interning import distinct_numbers, texts_at
    from asbuilt.base.kernel import Engine
    from asbuilt.diagnose.ports import Slots

    Engine.mode = "numba"
    from asbuilt.parsers.ibnetdiscover import parse

    text = b'switchguid=0x10(10)\nSwitch\t1 "S-0000000000000010"\t\t# "leaf" enhanced port 0 lid 1 lmc 0\n'
    assert parse(text, "warm").tables["device_facts"].height == 1
    # The others take one kind of array each, whatever they are given.
    data, numbers = np.frombuffer(b"a\n", np.uint8), np.zeros(2, np.int64)
    distinct_numbers(np.zeros(2, np.uint64))
    texts_at(numbers, numbers + 1, data)
    Slots.over(1, (numbers, numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
