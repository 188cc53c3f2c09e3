"""Files that a command writes where it was told to: nothing is overwritten silently, nothing is left half written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.model.plan import Plan
    from asbuilt.model.verdict import Verification


def refuse(target: Path, shown: str, fix: str = "name another file, or move it away") -> None:
    """``ProblemError`` CLI-046 when the file is there: before the work, not after it."""
    from asbuilt.base.problem import Problem, ProblemError

    if target.exists() or target.is_symlink():
        raise ProblemError(Problem("CLI-046", f"{shown} is there already", why="nothing is overwritten silently", fix=fix))


def write(target: Path, text: str) -> None:
    """Write the file in one step; ``ProblemError`` CLI-047 when that cannot be done."""
    import contextlib
    import os

    from asbuilt.base.problem import Problem, ProblemError

    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        what = f"cannot write {target}: {error.strerror or error}"
        raise ProblemError(Problem("CLI-047", what, fix="check that the folder exists and is yours to write")) from None


def write_page(target: Path, shown: str, verification: Verification, plan: Plan) -> None:
    """A verification as one HTML page, with what each check claims."""
    import sys

    from asbuilt.workflow.report import verification_page

    write(target, verification_page(verification, plan))
    print(f"wrote {shown}", file=sys.stderr)
