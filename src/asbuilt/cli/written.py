"""Files that a command writes where it was told to: nothing is overwritten silently, nothing is left half written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asbuilt.model.plan import Plan
    from asbuilt.model.verdict import Verification
    from asbuilt.workflow.after_repair import Predicted


def refuse(target: Path, shown: str, fix: str = "name another file, or move it away") -> None:
    """``ProblemError`` CLI-046 when the file is there: before the work, not after it."""
    from asbuilt.base.problem import Problem, ProblemError

    if target.exists() or target.is_symlink():
        raise ProblemError(Problem("CLI-046", f"{shown} is there already", why="nothing is overwritten silently", fix=fix))


def room_for(target: Path) -> None:
    """``ProblemError`` CLI-047 when no file can stand there: before the work, not after it."""
    import os

    from asbuilt.base.problem import Problem, ProblemError

    folder = target.parent
    if target.is_dir():
        what = "it is a folder"
    elif not folder.is_dir():
        what = f"{folder} is no folder"
    elif not os.access(folder, os.W_OK | os.X_OK):
        what = f"{folder} is not yours to write"
    else:
        return
    fix = "check that the folder exists and is yours to write"
    raise ProblemError(Problem("CLI-047", f"cannot write {target}: {what}", fix=fix))


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


def empty_folder(folder: Path, shown: str) -> None:
    """``ProblemError`` CLI-046 when ``folder`` holds something, or is no folder: before the work, not after it."""
    from asbuilt.base.problem import Problem, ProblemError

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = f"{shown} is not empty" if folder.is_dir() else f"{shown} is no folder"
        raise ProblemError(Problem("CLI-046", what, why="nothing is overwritten silently", fix="name another folder"))


def write_prediction(folder: Path, shown: str, predicted: Predicted) -> None:
    """The captures predicted for after the repairs, as `asbuilt verify` reads them; CLI-047 when they cannot be written."""
    import sys

    from asbuilt.base.problem import Problem, ProblemError
    from asbuilt.workflow.captures import write_captures

    try:
        write_captures(predicted.captures, folder)
    except OSError as error:
        what = f"cannot write {shown}: {error.strerror or error}"
        raise ProblemError(Problem("CLI-047", what, fix="check that the folder exists and is yours to write")) from None
    print(f"predicted after {predicted.moves} moves: {shown}", file=sys.stderr)
    for name in predicted.made:
        print(f"  {name}: no capture shows it, so its GUID there is made up", file=sys.stderr)


def write_page(target: Path, shown: str, verification: Verification, plan: Plan) -> None:
    """A verification as one HTML page, with what each check claims."""
    import sys

    from asbuilt.workflow.report import verification_page

    write(target, verification_page(verification, plan))
    print(f"wrote {shown}", file=sys.stderr)
