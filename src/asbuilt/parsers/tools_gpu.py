"""Tools of what a machine tells of its GPUs: tool name -> module that reads it."""

from __future__ import annotations

GPU_TOOLS: dict[str, str] = {}
