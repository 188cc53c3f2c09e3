"""asbuilt: a GPU cluster from requirement to accepted production. Templates are assumed; measurements are facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asbuilt.base.version import VERSION as __version__

if TYPE_CHECKING:
    from asbuilt.workflow.plan import make_plan as make_plan
    from asbuilt.workflow.size import size as size
    from asbuilt.workflow.verify import verify as verify

_PUBLIC = {
    "size": "asbuilt.workflow.size",
    "make_plan": "asbuilt.workflow.plan",
    "verify": "asbuilt.workflow.verify",
}
__all__ = ["__version__", "make_plan", "size", "verify"]


def __getattr__(name: str) -> Any:
    """Public functions load on first use: importing the package stays cheap."""
    if name in _PUBLIC:
        import importlib

        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'asbuilt' has no attribute {name!r}")
