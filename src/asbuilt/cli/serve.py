"""``asbuilt serve``: the sizing page in a browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

    from asbuilt.base.problem import ProblemError

HELP = "The sizing page in a browser: choose a system and a GPU count, see racks, switches, megawatts and where they change."
PORT = 8765
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default: this machine only)"
    )
    parser.add_argument("--port", type=int, default=PORT, metavar="PORT", help=f"port (default {PORT}; 0 takes a free one)")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name that browsers may use for this server, beside localhost; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    listener = listen(args.host, args.port)
    try:
        import uvicorn

        from asbuilt.web.app import create_app
        from asbuilt.workflow.plan import project_catalogue
    except ModuleNotFoundError as error:
        listener.close()
        raise _absent(error.name or "fastapi") from None
    port = listener.getsockname()[1]
    shown = f"[{args.host}]" if ":" in args.host else args.host
    print(f"http://{shown}:{port}/size", flush=True)
    print("Ctrl-C stops it.", file=sys.stderr)
    if args.host not in LOOPBACK:
        print("Everyone who reaches this address can use the page; it shows nothing but sizing.", file=sys.stderr)
    app = create_app((args.host, shown, *args.name), project_catalogue(Path(args.directory)))
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
    return 0


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; ``ProblemError`` CLI-311 when the address cannot be had."""
    import socket

    from asbuilt.base.problem import Problem, ProblemError

    if not 0 <= port <= 65_535:
        raise ProblemError(Problem("CLI-311", f"--port {port} is outside 0 to 65535", fix="choose a port such as 8765"))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ProblemError(
            Problem(
                "CLI-311",
                f"cannot listen on {host} port {port}: {error.strerror or error}",
                why="another program has it, or the address is not one of this machine",
                fix="choose another with --port (0 takes a free one) or --host",
            )
        ) from None
    return listener


def _absent(module: str) -> ProblemError:
    from asbuilt.base.problem import Problem, ProblemError

    return ProblemError(
        Problem(
            "CLI-312",
            f"the page needs {module}, which is not installed",
            why="the page's libraries are an extra of the package",
            fix="install asbuilt[web], or run make setup",
        )
    )
