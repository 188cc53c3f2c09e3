"""How findings about measured speed read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

PERFORMANCE_TEXTS: dict[str, Text] = {}
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
PERFORMANCE_EXPLAINED: dict[str, tuple[str, ...]] = {}
