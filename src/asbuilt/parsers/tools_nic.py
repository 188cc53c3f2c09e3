"""Tools of what a machine tells of its network cards: tool name -> module that reads it."""

from __future__ import annotations

NIC_TOOLS: dict[str, str] = {}
