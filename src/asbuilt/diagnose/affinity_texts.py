"""How findings where the topology of a machine is not as planned read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

AFFINITY_TEXTS: dict[str, Text] = {}
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
AFFINITY_EXPLAINED: dict[str, tuple[str, ...]] = {}
