"""adopt: what was built is recovered from its captures alone; what is irregular is listed and not absorbed."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.model.capture import Capture
from asbuilt.model.decode_requirement import decode
from asbuilt.model.plan import Plan
from asbuilt.rehearse import faults, twin
from asbuilt.workflow import templates
from asbuilt.workflow.adopt import Draft, adopt
from asbuilt.workflow.measured_planes import name_pattern, name_template
from asbuilt.workflow.plan import make_plan
from asbuilt.workflow.verify import verify
from little_fabric import little_plan


def template_plan(name: str) -> Plan:
    return make_plan(decode(templates.text(name).encode(), name))


def shape(plan: Plan, planes: tuple[str, ...]) -> dict[tuple[str, str], int]:
    """Switches by plane and role, links by plane and kind."""
    switches = plan.table("switches").filter(~pl.col("spare") & pl.col("plane").is_in(planes))
    links = plan.links.filter(pl.col("plane").is_in(planes) & (pl.col("kind") != "service"))
    counted = [*switches.group_by("plane", "role").len().rows(), *links.group_by("plane", "kind").len().rows()]
    return {(plane, what): count for plane, what, count in counted}


@pytest.mark.parametrize(
    ("name", "planes"),
    [
        ("l40s-384", ("compute", "storage", "management", "oob")),
        ("l40s-384-as-written", ("compute",)),
        ("dgx-h100-superpod", ("compute", "storage")),
        ("dgx-b200", ("compute", "storage")),
        ("gb300-nvl72", ("compute",)),
    ],
)
def test_the_structure_of_a_template_is_recovered_from_its_twin(name: str, planes: tuple[str, ...]) -> None:
    plan = template_plan(name)
    draft = adopt(twin.render(plan), name)
    listed = [s for f in draft.findings for s in f.subjects]
    assert all(s.startswith("ufm-") or s.endswith("a spine, hosts on it: 1") for s in listed), "only the fabric's own services"
    again = make_plan(decode(draft.text.encode(), "draft"))
    assert shape(again, planes) == shape(plan, planes)


def test_rails_layout_and_rates_are_measured_the_system_is_assumed() -> None:
    draft = adopt(twin.render(template_plan("gb200-nvl72")))
    compute = {k.removeprefix("planes.compute."): v for k, v in draft.measured.items() if k.startswith("planes.compute.")}
    assert (compute["layout"], compute["rails"], compute["link_gbps"], compute["leaf.uplinks"]) == ("leaf-groups", 4, 400.0, 18)
    assert {"system", "gpus"} <= set(draft.assumed)
    assert "# assumed" in draft.text and "# measured" in draft.text


def codes(*specs: str, **plan: object) -> dict[str, tuple[str, ...]]:
    built = little_plan(nodes=8, **plan)  # type: ignore[arg-type]
    draft = adopt(twin.render(built, tuple(faults.parse(s) for s in specs)))
    return {f.id: f.subjects for f in draft.findings}


def test_a_clean_fabric_has_no_irregularity() -> None:
    assert codes() == {}


@pytest.mark.parametrize(
    ("spec", "code", "says"),
    [
        ("swap:gpu001/mlx5_0,gpu001/mlx5_1", "PAR-060", "gpu001 mlx5_0: on LEAF-02 port 2"),
        ("unplug:LEAF-01/9", "PAR-061", "LEAF-01: 3 cables to 2 spines"),
        ("unplug:gpu003/mlx5_2", "PAR-062", "gpu003: 3 adapters"),
    ],
)
def test_each_fault_is_listed_and_not_absorbed(spec: str, code: str, says: str) -> None:
    found = codes(spec)
    assert any(says in subject for subject in found[code])
    clean, broken = (adopt(twin.render(little_plan(nodes=8), tuple(faults.parse(s) for s in specs))) for specs in ((), (spec,)))
    path = "planes.compute."
    keep = [path + key for key in ("layout", "rails", "link_gbps", "leaf.uplinks")]
    assert [clean.measured[k] for k in keep] == [broken.measured[k] for k in keep]


def test_nameless_devices_are_counted_and_said() -> None:
    draft: Draft = adopt(twin.render(little_plan(nodes=8), (faults.parse("noname"),)))
    assert "PAR-063" in {f.id for f in draft.findings}
    nameless = next(f for f in draft.findings if f.id == "PAR-063")
    assert len(nameless.subjects) == 8 * 4 + 6


def test_loops_and_slow_links_are_listed() -> None:
    dump = twin.render(little_plan(nodes=8))[0].data
    slow = adopt([Capture("c", dump.replace(b'"gpu001 mlx5_1" lid 12 4xNDR', b'"gpu001 mlx5_1" lid 12 1xNDR'))])
    assert any(f.id == "PAR-065" and "LEAF-02 port 2: 1xNDR" in f.found for f in slow.findings)


def test_nothing_can_be_drafted_from_nothing() -> None:
    for data in (b"", b"#\n# Topology file: generated on Thu Jan  1 00:00:00 1970\n#\n"):
        with pytest.raises(ProblemError) as caught:
            adopt([Capture("c", data)])
        assert "CLI-044" in str(caught.value)


@pytest.mark.parametrize(
    ("names", "template", "pattern"),
    [
        (["leaf-00", "leaf-01", "leaf-02"], "leaf-{index:02d}", "leaf-<00 to 02>"),
        (["n0", "n1", "n2"], "n{index}", "n<0 to 2>"),
        (["n1", "n2"], "", "n<1 to 2>"),
        (["a-0", "b-1"], "", ""),
        (["x{0}-0", "x{0}-1"], "x{{0}}-{index}", "x{0}-<0 to 1>"),
        (["same", "same"], "", "same"),
        ([], "", ""),
    ],
)
def test_name_templates(names: list[str], template: str, pattern: str) -> None:
    series = pl.Series(names, dtype=pl.String)
    assert name_template(series, {"index": pl.Series(range(len(names)), dtype=pl.Int64)}) == template
    assert name_pattern(names) == pattern


def test_the_command_writes_a_draft_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capture = tmp_path / "dump.txt"
    capture.write_bytes(twin.render(little_plan(nodes=8))[0].data)
    assert main(["-C", str(tmp_path), "adopt", "dump.txt", "--out", "cluster.yaml"]) == 0
    assert decode((tmp_path / "cluster.yaml").read_bytes(), "x").planes.compute is not None
    assert main(["-C", str(tmp_path), "adopt", "dump.txt", "--out", "cluster.yaml"]) == 2
    assert "CLI-046" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["dgx-h100-superpod", "dgx-b200"])
def test_a_draft_made_a_plan_again_agrees_with_the_captures_it_came_from(name: str) -> None:
    """The server is told by how it names its adapters; leaf and node names follow, so every link is where it should be."""
    found = twin.render(template_plan(name))
    draft = adopt(found)
    assert f"its adapters are named as those of {draft.assumed['system'].split('those of ')[1].split(';')[0]}" in draft.text
    again = make_plan(decode(draft.text.encode(), "draft"))
    seen = verify(again, list(found))
    assert seen.exit_code == 0 and seen.summary.ok == again.links.height


@pytest.mark.parametrize("name", list(templates.names()))
def test_every_draft_compiles(name: str) -> None:
    plan = make_plan(decode(adopt(twin.render(template_plan(name))).text.encode(), "draft"))
    assert plan.links.height and plan.table("nodes").height
