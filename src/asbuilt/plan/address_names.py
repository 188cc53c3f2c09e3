"""DNS labels (RFC 1123, section 2.1): letters, digits and hyphens, no hyphen at either end, at most 63 characters."""

from __future__ import annotations

import re

import polars as pl

#: Whose address a node's plain name means: the first of these that the plan has.
PRIMARY = ("management", "frontend", "storage", "compute")
_OTHER = r"[^a-z0-9-]"


def label(names: pl.Series) -> pl.Series:
    """Display names as DNS labels: lower case, what is no letter or digit as a hyphen, none at the ends.

    Two names may come out alike, and a long one stays long: the design checks find both.
    """
    return names.str.to_lowercase().str.replace_all(_OTHER, "-").str.strip_chars("-")


def plain(name: str) -> str:
    """`label` of one name."""
    return re.sub(_OTHER, "-", name.lower()).strip("-")


def primary_plane(planes: list[str]) -> str | None:
    """The plane whose address carries the node's plain name."""
    return next((p for p in PRIMARY if p in planes), None)
