"""The passive capture script, run by the real shells of this machine in scratch folders."""

from __future__ import annotations

import base64
import dataclasses
import io
import os
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from asbuilt.artefacts import capture_script
from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.collect.landed import from_text, look
from asbuilt.model.capture_set import BEGIN, COMMANDS, END, Command
from asbuilt.model.plan import Plan
from asbuilt.parsers import node_manifest
from asbuilt.workflow.export import make
from asbuilt.workflow.plan import compile_project

SHELLS = [s for s in ("dash", "bash", "busybox") if shutil.which(s)]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("script") / "p"
    assert main(["new", "l40s-384", str(folder)]) == 0
    return compile_project(folder)


def small(monkeypatch: pytest.MonkeyPatch, plan: Plan, *commands: Command) -> bytes:
    monkeypatch.setattr(capture_script, "COMMANDS", commands)
    return capture_script.capture_script(plan)


def run(script: bytes, folder: Path, *words: str, shell: str = "sh", **environment: str) -> subprocess.CompletedProcess[str]:
    path = folder.parent / f"{folder.name}-capture.sh"
    path.write_bytes(script)
    starter = ["busybox", "sh"] if shell == "busybox" else [shell]
    return subprocess.run(
        [*starter, str(path), *words], capture_output=True, text=True, timeout=60, env={**os.environ, **environment},
    )  # fmt: skip


def manifest(folder: Path, name: str) -> dict[str, tuple[str, int | None, float]]:
    facts = node_manifest.parse((folder / name / "manifest.tsv").read_bytes(), "m")
    assert facts.accounts["m"].unread == 0
    return {
        c: (o, x, s) for c, o, x, s in facts.tables["command_facts"].select("command", "outcome", "exit_code", "seconds").rows()
    }


def test_the_export_holds_script_and_nodes(plan: Plan) -> None:
    files = make(plan, ["collect"])
    assert list(files) == ["collect/capture.sh", "collect/nodes.txt"]
    assert (
        files["collect/nodes.txt"].decode().split()
        == plan.table("nodes").filter(plan.table("nodes")["role"] == "compute")["name"].to_list()
    )
    lines = files["collect/capture.sh"].decode().splitlines()
    assert lines[:2] == ["#!/bin/sh", f"# asbuilt capture set v1 plan {plan.plan_hash[:12]} nodes node[0000-0047]"]
    assert sum(line.startswith("ask ") for line in lines) == len(COMMANDS)
    assert files == make(plan, ["collect"])


@pytest.mark.parametrize("shell", SHELLS)
def test_every_question_ends_and_the_archive_is_whole(plan: Plan, tmp_path: Path, shell: str) -> None:
    out = tmp_path / "out"
    done = run(capture_script.capture_script(plan), out, "-n", "gpu-7", "-d", str(out), shell=shell)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out}/gpu-7.tar.gz\n"
    seen = look(out / "gpu-7.tar.gz")
    assert (seen.name, seen.plan, seen.fault) == ("gpu-7", plan.plan_hash[:12], "")
    assert list(seen.ended) == [c.id for c in COMMANDS]
    assert seen.ended["identity"] == "ran" and seen.ended["interrupts"] == "ran"
    assert seen == dataclasses.replace(look(out / "gpu-7"), file="gpu-7.tar.gz")
    with tarfile.open(out / "gpu-7.tar.gz") as tar:
        assert tar.getnames()[0] == "gpu-7/manifest.tsv"
    assert "kernel/hostname:" in (out / "gpu-7" / "identity.txt").read_text()
    assert out.stat().st_mode & 0o777 == 0o700
    assert run(capture_script.capture_script(plan), out, "-n", "gpu-7", "-d", str(out), shell=shell).returncode == 2


def tree(folder: Path) -> dict[str, tuple[int, int, int]]:
    return {
        str(p): (s.st_mode, s.st_size, s.st_mtime_ns)
        for p in folder.rglob("*")
        for s in [p.lstat()]
    }  # fmt: skip


def test_it_changes_nothing_but_its_own_folder(plan: Plan, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    (home / "work" / "file").write_text("as it was")
    before = tree(home), tree(Path("/etc"))
    modules = set(Path("/sys/module").iterdir())
    script = capture_script.capture_script(plan)
    done = run(script, tmp_path / "out", "-d", str(tmp_path / "out"), HOME=str(home), TMPDIR=str(home))
    assert done.returncode == 0
    streamed = run(script, tmp_path / "out", "-o", "-n", "a", HOME=str(home), TMPDIR=str(home))
    assert streamed.returncode == 0
    name, data = from_text(f"a banner\n{streamed.stdout}and more\n")
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert name == "a.tar.gz" and tar.getnames()[0] == "a/manifest.tsv"
    assert (tree(home), tree(Path("/etc"))) == before
    assert set(Path("/sys/module").iterdir()) == modules


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("limiter", [True, False], ids=["timeout", "pure sh"])
def test_a_hung_command_is_killed_with_all_below_it(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str, limiter: bool
) -> None:
    mark = f"{time.time_ns() % 10**7 + 10**6}"
    hangs = Command("hangs", "x", f"echo begun; (sleep {mark} & sleep {mark}); echo never", timeout_s=1)
    script = small(monkeypatch, plan, hangs, Command("after", "x", "echo after; exit 3", ok=(3,)))
    if not limiter:
        script = script.replace(b"timeout -s KILL 5 true", b"false")
    began = time.monotonic()
    assert run(script, tmp_path / "out", "-n", "a", "-d", str(tmp_path / "out"), shell=shell).returncode == 0
    assert time.monotonic() - began < 8
    told = manifest(tmp_path / "out", "a")
    assert told["hangs"][:2] == ("timed_out", 124) and told["hangs"][2] >= 1
    assert told["after"][:2] == ("ran", 3)
    said = (tmp_path / "out/a/hangs.txt").read_text()
    assert said.startswith("begun\n") and "never" not in said
    time.sleep(0.3)  # a killed process takes a moment to go on a busy machine
    left = [
        p.parent.name + p.with_name("stat").read_text()
        for p in Path("/proc").glob("[0-9]*/cmdline")
        if f"sleep\0{mark}".encode() in _read(p)
    ]
    assert not left


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_what_cannot_be_asked_says_why(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    for address, vendor, kind in (("0000:18:00.0", "0x15b3", "0x020700"), ("0000:18:00.1", "0x15b3", "0x020000"),
                                  ("0000:3b:00.0", "0x10de", "0x030200"), ("0000:00:02.0", "0x8086", "0x020000")):  # fmt: skip
        device = root / "sys/bus/pci/devices" / address
        device.mkdir(parents=True)
        (device / "vendor").write_text(vendor + "\n")
        (device / "class").write_text(kind + "\n")
    (root / "sys/bus/pci/devices/0000:18:00.1/physfn").touch()
    (root / "sys/module/nvidia").mkdir(parents=True)
    wishes = (
        Command("nics", "x", "echo told of {address}; [ {address} != 0000:18:00.9 ]", devices="nic"),
        Command("gpus", "x", "echo {address}", devices="gpu"),
        Command("lost", "x", "no-such-program-at-all -q", "no-such-program-at-all"),
        Command("unloaded", "x", "echo no", "sh", module="nvidia"),
        Command("bmc", "x", "echo no", where="bmc"),
        Command("arm", "x", "echo no", where="no-such-machine"),
        Command("fails", "x", "echo words; exit 9"),
        Command("quotes", "x", "printf '%s\\n' \"it's\" '$HOME' '`id`'"),
    )
    script = small(monkeypatch, plan, *wishes)
    assert run(script, tmp_path / "out", "-n", "a", "-d", str(tmp_path / "out"), ASBUILT_ROOT=str(root)).returncode == 0
    assert {k: v[:2] for k, v in manifest(tmp_path / "out", "a").items()} == {
        "nics": ("ran", 0), "gpus": ("ran", 0), "lost": ("absent", None), "unloaded": ("skipped", None),
        "bmc": ("skipped", None), "arm": ("skipped", None), "fails": ("failed", 9), "quotes": ("ran", 0),
    }  # fmt: skip
    answers = {p.stem: p.read_text() for p in (tmp_path / "out/a").glob("*.txt")}
    assert answers["nics"] == "$ echo told of 0000:18:00.0; [ 0000:18:00.0 != 0000:18:00.9 ]\ntold of 0000:18:00.0\n"
    assert answers["gpus"] == "$ echo 0000:3b:00.0\n0000:3b:00.0\n"
    assert answers["quotes"] == "it's\n$HOME\n`id`\n"
    assert "unloaded" not in answers


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_without_root_it_says_what_is_left_out(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o777)
        (folder / "c.sh").write_bytes(capture_script.capture_script(plan))
        done = subprocess.run(["sh", f"{place}/c.sh", "-n", "a", "-d", f"{place}/out"], user="nobody", capture_output=True)
        assert done.returncode == 0, done.stderr
        told = manifest(folder / "out", "a")
    assert told["dmesg"][0] == "needs_root" and told["identity"][0] == "ran"


def test_hostile_names_are_refused(plan: Plan, tmp_path: Path) -> None:
    script = capture_script.capture_script(plan)
    for name in ("../x", "a b", "$(id)", "-n", "a;b", "a\nb"):
        done = run(script, tmp_path / "out", "-n", name, "-d", str(tmp_path / "out"))
        assert done.returncode == 2 and not (tmp_path / "out").exists()
    nodes = plan.table("nodes")
    hostile = nodes.with_columns(name=nodes["name"].str.replace("^", "x;reboot "))
    with pytest.raises(ProblemError, match="ART-001"):
        capture_script.capture_script(dataclasses.replace(plan, tables={**plan.tables, "nodes": hostile}))


def test_an_endless_answer_does_not_fill_the_disk(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = small(monkeypatch, plan, Command("floods", "x", "cat /dev/zero", timeout_s=20))
    script = script.replace(b"ulimit -f 131072", b"ulimit -f 64")
    assert run(script, tmp_path / "out", "-n", "a", "-d", str(tmp_path / "out")).returncode == 0
    assert (tmp_path / "out/a/floods.txt").stat().st_size <= 64 * 1024
    assert manifest(tmp_path / "out", "a")["floods"][0] == "failed"


def test_text_that_is_no_archive_says_why() -> None:
    from asbuilt.collect.landed import NoArchiveError

    coded = base64.b64encode(b"x" * 100).decode()
    for text, why in (
        ("", "it printed no archive"),
        (f"{BEGIN} a.tar.gz\n{coded}\n", "its archive is cut: the connection ended early"),
        (f"{BEGIN} a.zip\n{coded}\n{END}\n", "its archive has no name that ends in .tar.gz or .tar"),
        (f"{BEGIN} a.tar\n{coded}=\n{END}\n", "its archive is not whole base64 text"),
    ):
        with pytest.raises(NoArchiveError) as told:
            from_text(text)
        assert str(told.value) == why
