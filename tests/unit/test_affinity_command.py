"""`asbuilt affinity` on archives of the twin: what differs, what is alike, what the scripts hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from asbuilt.cli.main import main
from asbuilt.workflow import templates


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four L40S servers: interrupts of the second go to the other socket, a card of the third sits there."""
    folder = tmp_path_factory.mktemp("site")
    document = yaml.safe_load(templates.text("l40s-384"))
    document["gpus"] = 32
    for key in ("phases", "growth"):
        document.pop(key, None)
    (folder / "cluster.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    assert main(["-C", str(folder), "plan"]) == 0
    faults = ["--fault", "irq:node:0001", "--fault", "numa:node:0002"]
    assert main(["-C", str(folder), "rehearse", "--nodes", *faults, "--keep", "twin"]) == 0
    return folder


def test_what_differs_is_shown_and_alike_nodes_once(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["-C", str(site), "affinity", "twin/nodes", "--out", "scripts"]) == 1
    out = capsys.readouterr().out
    blocks = {b.splitlines()[0]: b for b in out.strip().split("\n\n")}
    (interrupts,) = [b for head, b in blocks.items() if head.startswith("node0001 ")]
    assert "4 of 4, first to 48-95,144-191" in interrupts and "same" in interrupts
    (moved,) = [b for head, b in blocks.items() if head.startswith("node0002 ")]
    assert "1 (plan 0)" in moved and "SYS" in moved
    assert "2 nodes alike: node[0000,0003]   as measured and planned" in blocks
    script = (site / "scripts" / "node0001" / "apply.sh").read_text(encoding="utf-8")
    assert "NCCL_IB_HCA==mlx5_0,mlx5_1,mlx5_2,mlx5_3" in script and "card 0000:13:00.0 0 1 2 3" in script
    assert (site / "scripts" / "node0001" / "revert.sh").stat().st_mode & 0o111


def test_json_has_ports_gpus_and_the_exit_code(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["-C", str(site), "affinity", "twin/nodes", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["exit"], len(told["nodes"])) == ("affinity/v1", 1, 4)
    third = told["nodes"][2]
    assert third["differs"] and third["ports"][0]["socket"] != third["ports"][0]["planned_socket"]
    assert not told["nodes"][0]["differs"] and told["nodes"][0]["unknown"] == []
    assert {g["device"] for g in told["nodes"][0]["gpus"]} == {"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"}


def test_captures_without_a_topology_are_no_answer(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (site / "only.txt").write_text("CA 'mlx5_0'\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["-C", str(site), "affinity", "only.txt"]) == 3
    assert "no capture tells the topology of a planned node" in capsys.readouterr().out
