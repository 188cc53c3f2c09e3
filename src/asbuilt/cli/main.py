"""The door: picks the command, imports only its module, and turns problems into exit codes.

Exit codes: 0 holds · 1 does not hold · 2 invalid input or usage · 3 undecided · 70 internal error.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Sequence

from asbuilt.base.version import VERSION

EXIT_USAGE = 2
EXIT_INTERNAL = 70

#: command -> (group, one line). The module is ``asbuilt.cli.<command>``.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("start", "the whole road on the 384-GPU example"),
    "catalogue": ("start", "browse hardware facts with their sources"),
    "size": ("start", "sizing in one screen; needs no project"),
    "expect": ("start", "what number to expect: collectives, RDMA, copies, memory; needs no project"),
    "new": ("plan", "write a commented cluster.yaml from a template"),
    "plan": ("plan", "compile the requirement into the plan"),
    "show": ("plan", "look at a table of the plan"),
    "diff": ("plan", "compare two plans"),
    "grow": ("plan", "what a pilot survives on the way to production, what breaks at how many racks"),
    "decide": ("plan", "own people, a specialist crew, or both: cost, dates, faults, and what the choice hangs on"),
    "check": ("plan", "design-time checks on the plan alone"),
    "export": ("plan", "write artefacts for other programs"),
    "rehearse": ("prove", "build the planned fabric as a twin, capture from it, verify it"),
    "collect": ("prove", "ask every node what it is, and keep one archive of each"),
    "verify": ("prove", "hold captures against the plan"),
    "compare": ("prove", "hold a capture against someone else's plan; needs no project"),
    "diagnose": ("prove", "which components explain bad measurements, and what to measure next"),
    "affinity": ("prove", "interrupts, ranks and ports by the measured topology; apply and revert scripts"),
    "adopt": ("prove", "draft a requirement from what is there"),
    "report": ("prove", "one HTML file that an owner can audit"),
    "explain": ("learn", "what a check or a problem code means"),
    "serve": ("learn", "the sizing page in a browser"),
}
GROUPS = {
    "start": "without a project",
    "plan": "from requirement to plan",
    "prove": "the plan against what is there",
    "learn": "ask",
}


def usage() -> str:
    """The text of ``asbuilt --help``, grouped by task."""
    lines = [
        "usage: asbuilt [-C DIR] COMMAND ...",
        "",
        "A GPU cluster from requirement to accepted production: planned, rehearsed, measured, compared.",
    ]
    for group, title in GROUPS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:<10} {line}" for name, (g, line) in COMMANDS.items() if g == group]
    lines += [
        "",
        "options:",
        "  -C DIR       run as if started in DIR (a project folder with cluster.yaml)",
        "  --version    print the version",
        "  -h, --help   this text; `asbuilt COMMAND --help` for one command",
        "",
        "exit codes: 0 the asked-for thing holds, 1 it does not, 2 invalid input, 3 undecided, 70 internal error",
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code and never shows a traceback for a user's mistake."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _set_kernels()
    directory = "."
    while arguments and arguments[0].startswith("-"):
        option = arguments.pop(0)
        if option in ("-h", "--help"):
            print(usage())
            return 0
        if option == "--version":
            print(f"asbuilt {VERSION}")
            return 0
        if option == "-C" and arguments:
            directory = arguments.pop(0)
            continue
        return _usage_problem("CLI-001", f"unknown option {option!r}", "see `asbuilt --help`")
    if not arguments:
        print(usage())
        return EXIT_USAGE
    name = arguments.pop(0)
    if name not in COMMANDS:
        return _usage_problem("CLI-002", f"unknown command {name!r}", _suggest(name))
    return _dispatch(name, arguments, directory)


def _dispatch(name: str, arguments: list[str], directory: str) -> int:
    import importlib

    from asbuilt.base.problem import ProblemError

    command = importlib.import_module(f"asbuilt.cli.{name}")
    parser = argparse.ArgumentParser(
        prog=f"asbuilt {name}", description=command.HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.arguments(parser)
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as leave:
        return int(leave.code or 0)
    parsed.directory = directory
    try:
        return int(command.run(parsed))
    except ProblemError as error:
        print(error.problems.render(), file=sys.stderr)
        return EXIT_USAGE
    except BrokenPipeError:
        # The reader of our output left (`| head`): no message, and no second complaint when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        if error.filename is None:
            return _internal(error)
        what = f"cannot use {error.filename}: {error.strerror or error}"
        return _usage_problem("CLI-047", what, "check that the folder exists, has room, and is yours to read and write")
    except Exception as error:
        return _internal(error)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # Polars' own fault, which is no Exception to Python
            raise
        return _internal(error)


def _internal(error: BaseException) -> int:
    """An internal error: one line, and the traceback only when asked for."""
    if os.environ.get("ASBUILT_TRACEBACK"):
        import traceback

        traceback.print_exc()
    print(
        f"CLI-070 internal error: {type(error).__name__}: {error}\n"
        "  why: this is a fault of asbuilt, not of your input\n"
        "  fix: run again with ASBUILT_TRACEBACK=1 and report the output",
        file=sys.stderr,
    )
    return EXIT_INTERNAL


def _usage_problem(code: str, what: str, fix: str) -> int:
    from asbuilt.base.problem import Problem, Problems

    print(Problems((Problem(code, what, fix=fix),)).render(), file=sys.stderr)
    return EXIT_USAGE


def _suggest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"did you mean `asbuilt {near[0]}`?" if near else "see `asbuilt --help` for the commands"


def _set_kernels() -> None:
    from asbuilt.base.kernel import Engine

    mode = os.environ.get("ASBUILT_KERNELS", "auto")
    if mode in ("auto", "numpy", "numba"):
        Engine.mode = mode


if __name__ == "__main__":
    sys.exit(main())
