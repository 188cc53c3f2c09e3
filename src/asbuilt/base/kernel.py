"""The one door to compiled code: plain numpy by default, numba for large inputs when it can be had, or is there already.

``ASBUILT_KERNELS=numpy`` or ``numba`` forces one engine, so that the same tests run in both.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Engine:
    """How kernels run in this process. The edge (CLI, web, tests) sets it once from the environment."""

    mode: str = "auto"  # auto | numpy | numba


def numba_wanted(size: int, threshold: int) -> bool:
    """True when an input of ``size`` should take the compiled road under the current mode."""
    if Engine.mode == "numpy":
        return False
    if Engine.mode == "numba":
        return True
    if "numba" in sys.modules:  # its start, most of a second, is paid: then it is worth it much earlier
        return size >= threshold >> 6
    return size >= threshold and _numba_importable()


@functools.cache
def _numba_importable() -> bool:
    import importlib.util

    return importlib.util.find_spec("numba") is not None


def kernel(
    fallback: Callable[..., Any],
    *,
    threshold: int,
    parts: tuple[Callable[..., Any], ...] = (),
    measured: Callable[[Any], int] = len,
) -> Callable[[F], F]:
    """Compile the decorated loop with numba on its first large call; ``fallback`` (numpy) answers otherwise.

    The decorated function and ``fallback`` take the same arguments; the size of the first, as ``measured``, decides. Both
    must return equal results: the suite runs under both modes. ``parts`` are the plain functions of the same module that the
    loop calls, those without calls of their own first: they are compiled with it.
    """

    def wrap(function: F) -> F:
        compiled: list[Callable[..., Any]] = []

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            size = measured(args[0])
            if not numba_wanted(size, threshold):
                return fallback(*args)
            if not compiled:
                compiled.append(_compile(function, parts))
            return compiled[0](*args)

        call.fallback = fallback  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return wrap


def _compile(function: Callable[..., Any], parts: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    """``function`` as machine code, with ``parts`` compiled into it in place of their plain selves.

    Parts get arrays only to look at, never to keep, and a kernel with parts makes none of its own, so all do without
    reference counting: on short lines of text that counting takes most of the time.
    """
    import types

    import numba

    from asbuilt.base.machine_words import compiled

    def linked(plain: Any, name: str) -> Any:
        copy = types.FunctionType(plain.__code__, {**plain.__globals__, **known}, name, plain.__defaults__)
        copy.__module__, copy.__qualname__ = plain.__module__, name
        return copy

    known: dict[str, Any] = compiled() if parts else {}
    inlined: dict[str, Any] = {"nogil": True, "forceinline": True, "_nrt": False}
    for part in parts:
        known[part.__name__] = numba.njit(**inlined)(linked(part, part.__name__))
    whole = linked(function, f"{function.__name__}_{_mark(parts)}")
    options: dict[str, Any] = {"nogil": True, "_nrt": not parts}
    compiled_: Callable[..., Any]
    try:
        compiled_ = numba.njit(cache=True, **options)(whole)
    except RuntimeError:  # no writable cache folder: compile for this process alone
        compiled_ = numba.njit(**options)(whole)
    return compiled_


def _mark(parts: tuple[Callable[..., Any], ...]) -> str:
    """A word that changes with the code of ``parts``: numba's cache looks only at the file of the kernel itself."""
    import hashlib

    code = (part.__code__ for part in parts)
    return hashlib.blake2b(repr([(c.co_code, c.co_consts, c.co_names) for c in code]).encode(), digest_size=6).hexdigest()
