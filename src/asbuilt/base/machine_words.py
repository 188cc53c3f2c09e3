"""Bytes read eight at a time: what compiled scanners are fast by, with the plain Python that says what each one does.

`asbuilt.base.kernel` swaps the functions named in `compiled` for single machine instructions when it compiles a kernel.
Nobody checks bounds: a kernel must know that the eight bytes are there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ONES, HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


def byte_at(data: Any, at: int) -> int:
    """The byte at ``at``."""
    return int(data[at])


def eight_at(data: Any, at: int) -> Any:
    """The eight bytes from ``at``, the first one lowest."""
    return np.uint64(int.from_bytes(data[at : at + 8].tobytes(), "little"))


def first_byte(marks: Any) -> int:
    """Which byte (0 to 7) holds the lowest set bit of ``marks``; ``marks`` must not be 0."""
    number = int(marks)
    return ((number & -number).bit_length() - 1) >> 3


def compiled() -> dict[str, Any]:
    """The functions above as numba intrinsics, by name."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def loaded(context: Any, builder: Any, signature: Any, arguments: Any, bits: int) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        wide = ir.IntType(bits)
        word = builder.load(builder.bitcast(place, wide.as_pointer()))
        word.align = 1
        return word if bits == 64 else builder.zext(word, cgutils.intp_t)

    @intrinsic
    def byte_at(typing: Any, data: Any, at: Any) -> Any:
        signature = types.intp(data, types.intp)
        return signature, lambda context, builder, sig, args: loaded(context, builder, sig, args, 8)

    @intrinsic
    def eight_at(typing: Any, data: Any, at: Any) -> Any:
        signature = types.uint64(data, types.intp)
        return signature, lambda context, builder, sig, args: loaded(context, builder, sig, args, 64)

    @intrinsic
    def first_byte(typing: Any, marks: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            zeros = builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))
            return builder.lshr(zeros, ir.Constant(ir.IntType(64), 3))

        return types.intp(types.uint64), generate

    return {"byte_at": byte_at, "eight_at": eight_at, "first_byte": first_byte}
