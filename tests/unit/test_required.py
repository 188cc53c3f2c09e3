"""What a gate may demand: checks by id or by layer, and nothing that no capture answers."""

from __future__ import annotations

import pytest

from asbuilt.base.problem import ProblemError
from asbuilt.cli.main import main
from asbuilt.workflow.required import required_checks


def test_ids_and_layers_name_checks_once_and_in_order() -> None:
    assert required_checks("") == ()
    assert required_checks("fab-016, FAB-010,FAB-016") == ("FAB-016", "FAB-010")
    assert required_checks("FAB-016,Fabric") == ("FAB-016", "fabric")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("FAB-916", "CLI-055 no check that captures answer is called 'FAB-916'; did you mean FAB-016?"),
        ("fabrics", "CLI-055 no check that captures answer is called 'fabrics'; did you mean fabric?"),
        ("xyz", "CLI-055 no check that captures answer is called 'xyz'\n"),
        ("DES-001", "CLI-055 DES-001 is answered by the plan alone, no capture measures it"),
    ],
)
def test_what_no_capture_answers_cannot_be_demanded(text: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        required_checks(text)
    assert says in str(caught.value)


def test_a_demand_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("verify", "compare"):
        assert main([command, "--help"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "--require ID,… what must have been measured: ids of checks, or fabric for all" in said


def test_compare_without_the_demanded_evidence_is_undecided(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "plan.csv").write_text("a_device,a_port,b_device,b_port\nleaf,1,node,1\n")
    dump = (
        'vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x1\nswitchguid=0x1(1)\nSwitch\t2 "S-0000000000000001"\t\t# "leaf" enhanced '
        'port 0 lid 1 lmc 0\n[1]\t"H-0000000000000010"[1](11) \t\t# "node" lid 2 4xHDR\n\nvendid=0x2c9\ndevid=0x101b\n'
        'sysimgguid=0x10\ncaguid=0x10\nCa\t1 "H-0000000000000010"\t\t# "node"\n[1](11) \t"S-0000000000000001"[1]\t\t# lid 2 '
        'lmc 0 "leaf" lid 1 4xHDR\n'
    )
    (tmp_path / "dump.txt").write_text(dump)
    asked = ["compare", "--plan", str(tmp_path / "plan.csv"), "--measured", str(tmp_path / "dump.txt")]
    assert main(asked) == 0
    assert main([*asked, "--require", "FAB-029"]) == 3
    assert "FAB-029 was asked for and no capture of its kind was given" in " ".join(capsys.readouterr().out.split())
    assert main([*asked, "--require", "FAB-031"]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "FAB-031 was asked for and the plan has nothing for it: outside the plan's scope: no" in said
    assert main([*asked, "--require", "fabric"]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "FAB-029 was asked for" in said and "nothing for it" not in said
    assert main([*asked, "--require", "FAB-931"]) == 2
