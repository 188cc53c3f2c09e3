"""How findings about versions read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

SOFTWARE_TEXTS: dict[str, Text] = {}
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
SOFTWARE_EXPLAINED: dict[str, tuple[str, ...]] = {}
