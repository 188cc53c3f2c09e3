"""Who may talk to the page: security headers, and the Host header held against the names it was bound to.

A page on the loopback address is reachable from any site that the same browser shows: a hostile name can be made to
resolve to 127.0.0.1 (DNS rebinding). Only requests that name this host get an answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse

LOOPBACK = ("localhost", "127.0.0.1", "[::1]", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

Next = Callable[[Request], Awaitable[Response]]


def host_name(header: str) -> str:
    """The name in a Host header without its port, lower case; brackets of an IPv6 address kept."""
    text = header.strip().lower()
    if text.startswith("["):
        return text[: text.find("]") + 1] if "]" in text else text
    return text.rsplit(":", 1)[0] if text.count(":") == 1 else text


def guard(allowed: tuple[str, ...]) -> Callable[[Request, Next], Awaitable[Response]]:
    """Middleware that answers 421 to a Host that is not in ``allowed`` and sets the headers on every answer."""

    async def middleware(request: Request, call_next: Next) -> Response:
        name = host_name(request.headers.get("host", ""))
        if name not in allowed:
            text = f"This server does not answer to the name {name[:80]!r}.\nOpen http://localhost, or start it with --host.\n"
            response: Response = PlainTextResponse(text, status_code=421)
        else:
            response = await call_next(request)
        for key, value in HEADERS.items():
            response.headers.setdefault(key, value)
        return response

    return middleware
