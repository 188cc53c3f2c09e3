"""Which collective a table of nccl-tests is of, where nothing names it: the columns, and how size and count belong together.

The size is that of the whole buffer: count times the bytes of one element, and times the ranks where every rank gives a part
(all_gather, reduce_scatter, alltoall). alltoall and sendrecv do not work in place: results are validated in the first half
alone. What two collectives print alike gives no name.
"""

from __future__ import annotations

from typing import Mapping

_BYTES = {
    "int8": 1, "uint8": 1, "char": 1, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
    "half": 2, "bfloat16": 2, "int32": 4, "uint32": 4, "int": 4, "float": 4, "int64": 8, "uint64": 8, "double": 8,
}  # fmt: skip


def collective(head: Mapping[str, str], ranks: int, half_checked: bool, all_checked: bool) -> str | None:
    """all_reduce, reduce_scatter, reduce, broadcast, alltoall, sendrecv, all_gather; None where the row can be of another.

    ``head``: the words of a row by the names of its table (size, count, type, redop, root). ``ranks``: 0 for untold.
    ``half_checked``: results out of place were validated and those in place were not; ``all_checked``: both were.
    """
    size, count = int(head["size"]), int(head["count"])
    each = _BYTES.get(head.get("type", ""))
    if each is None or not count or ranks == 1:
        return None
    whole, part = size == count * each, bool(ranks) and size == count * each * ranks
    reduces = head.get("redop") not in (None, "none")
    rooted = head.get("root") not in (None, "-1")
    if reduces:
        return ("reduce" if rooted else "all_reduce") if whole else ("reduce_scatter" if part else None)
    if rooted:
        return "broadcast" if whole else None
    if half_checked:
        return "alltoall" if part else ("sendrecv" if whole else None)
    return "all_gather" if all_checked and part else None
