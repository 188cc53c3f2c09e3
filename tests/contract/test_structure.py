"""The shape of the code base: layers, room sizes, names, purity, and what must never be committed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import asbuilt

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "asbuilt"
FILES = sorted(SOURCE.rglob("*.py"))
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / p for p in listed.decode().split("\0") if p and (ROOT / p).is_file()]


def test_layers_hold() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_is_a_room(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400, "a file over 400 lines has two jobs"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_names_come_from_the_field(path: Path) -> None:
    words = set(re.split(r"[_.]", path.stem)) | set(path.relative_to(SOURCE).parts[:-1])
    assert not words & BANNED_NAMES


@pytest.mark.parametrize("path", FILES, ids=name)
def test_public_definitions_are_documented(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "the module says what it is for"
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            thin = any(part in name(path) for part in ("/cli/",)) and node.name in ("arguments", "run")
            if not thin and not _is_data(node):
                assert ast.get_docstring(node), f"{node.name} has no docstring"


def _is_data(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """A dataclass or enum whose members carry their meaning needs no sentence of its own."""
    if not isinstance(node, ast.ClassDef):
        return False
    enum = any("Enum" in ast.unparse(base) for base in node.bases)
    return enum or any("dataclass" in ast.unparse(d) for d in node.decorator_list)


def test_no_public_name_equals_a_subpackage() -> None:
    packages = {p.name for p in SOURCE.iterdir() if p.is_dir()}
    assert not packages & set(asbuilt.__all__)


def test_every_public_name_is_importable_and_documented() -> None:
    for public in asbuilt.__all__:
        value = getattr(asbuilt, public)
        if callable(value):
            assert value.__doc__


HOSTS = re.compile(rb"pypi\.org|pythonhosted|npmjs|deb\.debian|files\.python|(?<!emit-)index-url", re.IGNORECASE)
PLACES = re.compile(rb"(?<![\w.])/(work|root|home|tmp|farm|opt)/[a-z0-9_-]+", re.IGNORECASE)
#: Files that speak about such paths or hosts as text under test.
EXEMPT = {"tests/contract/test_structure.py", "src/asbuilt/artefacts/opensm_dialects.py"}  # UFM's own folder


def test_the_repository_names_no_registry_and_no_machine() -> None:
    found = []
    for path in tracked():
        relative = str(path.relative_to(ROOT))
        if relative in EXEMPT or path.suffix in (".png", ".parquet", ".xlsx"):
            continue
        data = path.read_bytes()
        for pattern in (HOSTS, PLACES):
            for match in pattern.finditer(data):
                found.append(f"{relative}: {match.group().decode()}")
    assert not found, found


def test_no_unfinished_work_is_committed() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")
    found = [f"{name(p)}: {m.group()}" for p in FILES for m in marks.finditer(p.read_text(encoding="utf-8"))]
    assert not found, found
