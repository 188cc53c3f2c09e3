"""The studio's web application: the sizing page, its fragment and its JSON twin. Reads nothing but the query."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined

from asbuilt.base.problem import Problem, ProblemError
from asbuilt.base.version import VERSION
from asbuilt.drawings.theme import css_variables, drawing_css, number, plural
from asbuilt.web.host import LOOPBACK, guard
from asbuilt.web.page import context
from asbuilt.web.query import parse
from asbuilt.workflow.sizing_page import sized

if TYPE_CHECKING:
    from asbuilt.catalogue.load import Catalogue

BAD, FOUND = 400, 307


@functools.cache
def environment() -> Environment:
    """Templates: everything escaped, an undefined name is an error."""
    env = Environment(
        loader=PackageLoader("asbuilt.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["n"] = number
    env.globals["plural"] = plural
    return env


def create_app(hosts: Sequence[str] = (), catalogue: Catalogue | None = None) -> FastAPI:
    """The application. It answers to the loopback names and to ``hosts``; any other Host header gets 421.

    ``catalogue`` is the built-in one unless a project's own hardware is to be offered too.
    """
    app = FastAPI(title="asbuilt", version=VERSION, docs_url=None, redoc_url=None, openapi_url=None)
    app.middleware("http")(guard((*LOOPBACK, *(h.lower() for h in hosts))))
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    palette = css_variables() + drawing_css()

    @app.get("/")
    def root() -> Response:
        return RedirectResponse("/size", FOUND)

    @app.get("/palette.css")
    def colours() -> Response:
        return Response(palette, media_type="text/css", headers={"Cache-Control": "max-age=3600"})

    @app.get("/size")
    def page(request: Request) -> Response:
        return _html("size.html", request, catalogue)

    @app.get("/size/fragment")
    def fragment(request: Request) -> Response:
        return _html("fragment.html", request, catalogue)

    @app.get("/size.json")
    def twin(request: Request) -> Response:
        return _json(request, catalogue)

    return app


def _html(template: str, request: Request, catalogue: Catalogue | None) -> Response:
    query, problems = parse(request.query_params.multi_items())
    told = context(query, problems, catalogue)
    text = environment().get_template(template).render(told)
    return HTMLResponse(text, BAD if told["problems"] else 200, headers={"Cache-Control": "no-store"})


def _json(request: Request, catalogue: Catalogue | None) -> Response:
    """System a's object as ``size --json`` prints it; with two systems ``{schema, systems: [..]}``."""
    query, problems = parse(request.query_params.multi_items())
    if problems:
        return _refused(problems)
    try:
        documents: list[dict[str, Any]] = [
            sized(c.system, c.gpus, c.fabric, query.site, catalogue)[1].as_json() for c in (query.a, query.b) if c is not None
        ]
    except ProblemError as error:
        return _refused(error.problems.items)
    return JSONResponse(documents[0] if len(documents) == 1 else {"schema": "sizings/v1", "systems": documents})


def _refused(problems: Sequence[Problem]) -> Response:
    told = [{"code": p.code, "what": p.what, "why": p.why, "fix": p.fix} for p in problems]
    return JSONResponse({"schema": "problems/v1", "problems": told}, BAD)
