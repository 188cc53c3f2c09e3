"""`asbuilt catalogue` as a person and a program see it, and the documentation's example and tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from asbuilt.catalogue.load import load
from asbuilt.cli.catalogue import PLAIN_WIDTH
from asbuilt.cli.main import main
from asbuilt.workflow.catalogue import keys_page, refreshed_page, value_text

ROOT = Path(__file__).resolve().parents[2]
DOC = ROOT / "docs" / "catalogue.md"
CATALOGUE = load()


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["catalogue", *words]) == 0
    return capsys.readouterr().out


def test_the_kinds_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys).splitlines()
    for kind in CATALOGUE.kinds():
        assert any(re.match(rf"{kind} +{len(CATALOGUE.ids(kind))}  \S", line) for line in lines), kind
    assert any(line.startswith("errata       28") for line in lines)


@pytest.mark.parametrize("kind", [*CATALOGUE.kinds(), "errata"])
def test_every_list_fits_a_hundred_columns(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, kind)
    assert max(map(len, text.splitlines())) <= PLAIN_WIDTH
    if kind != "errata":
        assert all(re.search(rf"^{re.escape(i)}  ", text, re.M) for i in CATALOGUE.ids(kind))


def test_every_part_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in CATALOGUE.kinds():
        for part_id in CATALOGUE.ids(kind):
            text = said(capsys, kind, part_id)
            part = CATALOGUE.get(kind, part_id)
            lines = text.splitlines()
            assert lines[0].startswith(f"{kind} {part_id} · ")
            assert all(any(line.startswith(f"{key} ") for line in lines) for key in part.figures)
            wide = [line for line in lines if len(line) > PLAIN_WIDTH and "://" not in line]
            assert not wide, wide


def test_one_part_shows_trust_source_and_note(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "system", "dgx-h100")
    assert re.search(r"^power_max_w +10,200 W +high +\[1\] +for feeders and breakers;", text, re.M)
    assert re.search(r"^power_expected_w +8,500 W +LOW, assumed +upper end of 6.5-8.5 kW", text, re.M)
    assert "[1] https://docs.nvidia.com/dgx/dgxh100-user-guide/introduction-to-dgxh100.html" in text
    assert re.search(r"^mlx5_0 +connectx-7-400 +compute +0 +0 +osfp4 +400 +infiniband$", text, re.M)


def test_a_terminal_gets_colour_and_the_same_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    plain = said(capsys, "switch")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    coloured = said(capsys, "switch")
    assert "\x1b[33m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert said(capsys, "switch") == plain
    monkeypatch.setenv("COLUMNS", "160")
    wide = said(capsys, "switch")
    assert len(wide.splitlines()) < len(plain.splitlines())


def test_low_trust_is_marked_in_lists(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "switch")
    assert re.search(r"^sn5600 .* 2,170\?", text, re.M)
    assert re.search(r"^qm9700 .* 1,720 ", text, re.M)
    assert "? low trust" in text


def test_a_contradiction_names_what_is_used_for_what(capsys: pytest.CaptureFixture[str]) -> None:
    flat = " ".join(said(capsys, "errata", "c01").split())
    assert "C01" in flat
    assert "C02" not in flat
    document = json.loads(said(capsys, "errata", "C01", "--json"))
    uses = {(use["part"], use["key"]): use["purpose"] for use in document["contradictions"][0]["used"]}
    assert uses[("system/dgx-h100", "power_max_w")] == "feeders and breakers"
    assert uses[("system/dgx-h100", "heat_max_w")] == "cooling"
    assert document["errata"] == []


def test_json_of_kinds_parts_and_a_part(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = json.loads(said(capsys, "--json"))
    assert kinds["schema"] == "catalogue/v1"
    assert {k["kind"]: k["parts"] for k in kinds["kinds"]} == {k: len(CATALOGUE.ids(k)) for k in CATALOGUE.kinds()}
    parts = json.loads(said(capsys, "nic", "--json"))
    assert [p["id"] for p in parts["parts"]] == list(CATALOGUE.ids("nic"))
    part = json.loads(said(capsys, "nic", "connectx-6-dx", "--json"))
    figure = part["figures"]["link_types"]
    assert figure["value"] == ["ethernet"]
    assert set(figure) == {"value", "unit", "confidence", "origin", "source", "note"}


def test_a_part_of_ones_own_is_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "catalogue" / "rack"
    folder.mkdir(parents=True)
    text = said(capsys, "rack", "rack-48u", "--yaml")
    (folder / "ours.yaml").write_text(text.replace("id: rack-48u", "id: ours"), encoding="utf-8")
    assert main(["-C", str(tmp_path), "catalogue", "rack"]) == 0
    listed = capsys.readouterr().out
    assert re.search(r"^ours\+ ", listed, re.M)
    assert "+ from the project's own catalogue folder." in listed
    assert main(["-C", str(tmp_path), "catalogue", "rack", "ours"]) == 0
    assert str(folder / "ours.yaml") in capsys.readouterr().out.replace("\n", "")
    assert main(["-C", str(tmp_path), "catalogue", "rack", "ours", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["own"] is True


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["racks"], "CAT-001 no kind racks; did you mean rack?"),
        (["gpu", "h100"], "CAT-002 no gpu 'h100' in the catalogue; did you mean h100-sxm5?"),
        (["errata", "C99"], "CAT-002 no erratum 'C99'"),
        (["gpu", "--yaml"], "CAT-014 --yaml prints the file of one part"),
    ],
)
def test_mistakes_are_answered(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalogue", *words]) == 2
    caught = capsys.readouterr()
    assert caught.err.startswith(text)
    assert caught.out == ""


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (10200, "W", "10,200 W"),
        (0.871, "fraction", "0.871"),
        (130.45, "kg", "130.45 kg"),
        ([400, 200], "Gb/s", "400, 200 Gb/s"),
        ({400: 64, 200: 128}, "", "64 at 400, 128 at 200"),
        ([{"a": 1}, {"a": 2}], "", "2 rows"),
        (True, "", "yes"),
        ("C19/C20", "", "C19/C20"),
    ],
)
def test_values_for_people(value: object, unit: str, text: str) -> None:
    assert value_text(value, unit) == text


def test_the_example_of_the_documentation_loads(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(# catalogue/(\w+)/([\w-]+)\.yaml\n.*?)```", DOC.read_text(encoding="utf-8"), re.S)
    assert [(kind, part_id) for _, kind, part_id in blocks] == [("switch", "our-leaf")]
    for text, kind, part_id in blocks:
        folder = tmp_path / kind
        folder.mkdir()
        (folder / f"{part_id}.yaml").write_text(text, encoding="utf-8")
        part = load([tmp_path]).get(kind, part_id)
        assert part.value("splits") == {800: 64, 400: 128, 200: 256}
        assert part.figure("power_max_w").confidence == "low"
        assert part.value("x_console_v") == 5


def test_the_documentation_does_not_lag() -> None:
    text = DOC.read_text(encoding="utf-8")
    assert refreshed_page(text, CATALOGUE) == text
    assert text.count("| C17 |") == 1
    assert text.count("| E8 |") == 1
    assert (ROOT / "docs" / "reference" / "catalogue-figures.md").read_text(encoding="utf-8") == keys_page()
