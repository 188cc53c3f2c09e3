"""The one door to compiled code: plain numpy by default, numba for large inputs when it can be had.

``ASBUILT_KERNELS=numpy`` or ``numba`` forces one engine, so that the same tests run in both.
"""

from __future__ import annotations

import functools
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
    return size >= threshold and _numba_importable()


@functools.cache
def _numba_importable() -> bool:
    import importlib.util

    return importlib.util.find_spec("numba") is not None


def kernel(fallback: Callable[..., Any], *, threshold: int) -> Callable[[F], F]:
    """Compile the decorated loop with numba on its first large call; ``fallback`` (numpy) answers otherwise.

    The decorated function and ``fallback`` take the same arguments; the first must have a length or be an array,
    its size decides. Both must return equal results: the suite runs under both modes.
    """

    def wrap(function: F) -> F:
        compiled: list[Callable[..., Any]] = []

        @functools.wraps(function)
        def call(*args: Any) -> Any:
            size = len(args[0])
            if not numba_wanted(size, threshold):
                return fallback(*args)
            if not compiled:
                import numba

                try:
                    compiled.append(numba.njit(cache=True, nogil=True)(function))
                except RuntimeError:  # no writable cache folder: compile for this process alone
                    compiled.append(numba.njit(nogil=True)(function))
            return compiled[0](*args)

        call.fallback = fallback  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return wrap
