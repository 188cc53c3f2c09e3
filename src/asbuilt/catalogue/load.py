"""The catalogue: built-in parts and a user's own folders, read part by part on demand."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.catalogue import schema
from asbuilt.catalogue.plain import plain_part
from asbuilt.catalogue.read import BYTES_MAX, Part, read_part
from asbuilt.model.requirement import NAME

__all__ = ["Catalogue", "Part", "load"]

_BUILT_IN = Path(__file__).parent / "data"
_ID = re.compile(NAME)


class Catalogue:
    """Parts by kind and id. A later folder's part replaces an earlier one's; ``part.file`` says whose it is.

    Nothing but directory listings is read until a part is asked for; each part is read once.
    """

    def __init__(self, index: Mapping[tuple[str, str], tuple[Path, str]]) -> None:
        self._index = dict(index)
        self._ids: dict[str, tuple[str, ...]] = {
            kind: tuple(sorted(i for k, i in self._index if k == kind)) for kind in schema.KINDS
        }
        self._parts: dict[tuple[str, str], Part] = {}

    def kinds(self) -> tuple[str, ...]:
        """All kinds, in the order in which they are shown."""
        return schema.KINDS

    def ids(self, kind: str) -> tuple[str, ...]:
        """The ids of ``kind``, sorted. ``ProblemError`` CAT-001 for an unknown kind."""
        if kind not in self._ids:
            raise ProblemError(
                Problem("CAT-001", f"no kind {kind}{nearest(kind, schema.KINDS)}", fix=f"one of {', '.join(schema.KINDS)}")
            )
        return self._ids[kind]

    def has(self, kind: str, part_id: str) -> bool:
        """True when the catalogue holds that part."""
        return (kind, part_id) in self._index

    def get(self, kind: str, part_id: str) -> Part:
        """The part. ``ProblemError`` CAT-001 or CAT-002 for an unknown kind or id, CAT-004 to CAT-012 for a bad file."""
        found = self._parts.get((kind, part_id))
        if found is not None:
            return found
        path, shown = self._find(kind, part_id)
        data = _bytes(path, shown)
        part = None
        if path.is_relative_to(_BUILT_IN):
            part = plain_part(data.decode("utf-8"), shown, kind, part_id)
        if part is None:
            part = read_part(data, shown, kind, part_id)
        self._parts[(kind, part_id)] = part
        return part

    def text(self, kind: str, part_id: str) -> str:
        """The part's file as it stands, to start one's own from. Problems as `get`."""
        self.get(kind, part_id)
        path, shown = self._find(kind, part_id)
        return _bytes(path, shown).decode("utf-8-sig")

    def _find(self, kind: str, part_id: str) -> tuple[Path, str]:
        known = self.ids(kind)
        if (kind, part_id) not in self._index:
            new = f", or describe it in catalogue/{kind}/{part_id}.yaml (docs/catalogue.md)" if _ID.match(part_id) else ""
            raise ProblemError(
                Problem(
                    "CAT-002",
                    f"no {kind} {part_id!r} in the catalogue{nearest(part_id.lower(), known)}",
                    why=f"known: {', '.join(known) or 'none'}",
                    fix=f"take one of these{new}",
                )
            )
        return self._index[(kind, part_id)]


def load(extra: Sequence[Path] = ()) -> Catalogue:
    """The built-in catalogue, then the parts of each folder in ``extra`` (``<kind>/<id>.yaml``) over it.

    Raises ``ProblemError`` CAT-013 for a folder that is missing or holds an unknown kind, and for two files of one id.
    """
    if not extra:
        return _built_in()
    index = dict(_listing(_BUILT_IN, built_in=True))
    problems: list[Problem] = []
    for folder in extra:
        index.update(_listing(Path(folder), built_in=False, problems=problems))
    if problems:
        raise ProblemError(problems)
    return Catalogue(index)


@functools.cache
def _built_in() -> Catalogue:
    return Catalogue(_listing(_BUILT_IN, built_in=True))


def _listing(folder: Path, *, built_in: bool, problems: list[Problem] | None = None) -> dict[tuple[str, str], tuple[Path, str]]:
    """(kind, id) -> (path, name to show) of every part file of ``folder``."""
    trouble: list[Problem] = problems if problems is not None else []
    index: dict[tuple[str, str], tuple[Path, str]] = {}
    if not folder.is_dir():
        trouble.append(Problem("CAT-013", "no such catalogue folder", Place(str(folder)), fix="create it, or leave it out"))
        return index
    for sub in sorted(folder.iterdir()):
        if not sub.is_dir() or sub.name.startswith("."):
            continue
        if sub.name not in schema.KINDS:
            what = f"{sub.name} is not a kind of part{nearest(sub.name, schema.KINDS)}"
            trouble.append(Problem("CAT-013", what, Place(str(sub)), fix=f"one of {', '.join(schema.KINDS)}"))
            continue
        for path in sorted(sub.iterdir()):
            if path.suffix not in (".yaml", ".yml") or path.name.startswith("."):
                continue
            spot = (sub.name, path.stem)
            if spot in index:
                what = f"{sub.name} {path.stem} is described twice, also in {index[spot][0].name}"
                trouble.append(Problem("CAT-013", what, Place(str(path)), fix="keep one of the two files"))
            index[spot] = (path, f"catalogue/{sub.name}/{path.name}" if built_in else str(path))
    return index


def _bytes(path: Path, shown: str) -> bytes:
    """The file's bytes, one more than the limit at most, so that a huge file costs nothing."""
    try:
        with path.open("rb") as stream:
            return stream.read(BYTES_MAX + 1)
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise ProblemError(Problem("CAT-004", what, Place(shown), fix="check the file and its rights")) from None
