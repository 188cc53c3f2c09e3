"""The real lldpd, three of them in network namespaces joined by virtual cables: does our parser read what it prints?"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from asbuilt.parsers import lldp
from requirements_of_tests import absent, need_program

pytestmark = pytest.mark.real

CABLES = (("sw1", "swp1", "gpu1", "mlx5_0"), ("sw1", "swp2", "gpu1", "mlx5_1"), ("sw1", "swp31", "sw2", "swp5"))
DEVICES = ("sw1", "sw2", "gpu1")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def tables() -> Iterator[dict[str, dict[str, bytes]]]:
    """Device -> form -> what lldpcli prints there."""
    need_program("ip")
    daemon, client = need_program("lldpd"), need_program("lldpcli")
    if os.geteuid() != 0:
        absent("REQUIRE_REAL", "real: lldpd needs root for network namespaces")
    # Not pytest's own folder: lldpd gives up root and must still reach its socket.
    folder = Path(tempfile.mkdtemp(prefix="asbuilt-lldpd-"))
    folder.chmod(0o755)
    space = {d: f"asb{os.getpid()}-{d}" for d in DEVICES}
    made: list[str] = []
    running: list[subprocess.Popen[bytes]] = []
    try:
        for device in DEVICES:
            ip("netns", "add", space[device])
            made.append(space[device])
        for a, a_port, b, b_port in CABLES:
            ip("link", "add", a_port, "netns", space[a], "type", "veth", "peer", "name", b_port, "netns", space[b])
            ip("-n", space[a], "link", "set", a_port, "up")
            ip("-n", space[b], "link", "set", b_port, "up")
        for device in DEVICES:
            Path("/run/lldpd").mkdir(exist_ok=True)
            start = 'hostname "$1"; exec "$2" -d -u "$3" -p "$4"'
            words = [device, daemon, str(folder / f"{device}.sock"), str(folder / f"{device}.pid")]
            running.append(
                subprocess.Popen(
                    ["ip", "netns", "exec", space[device], "unshare", "-u", "sh", "-c", start, "sh", *words],
                    stderr=(folder / f"{device}.log").open("wb"),
                )
            )
        yield _wait(client, folder)
    finally:
        for process in running:
            process.terminate()
            process.wait(timeout=10)
        for name in made:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        shutil.rmtree(folder)


def _wait(client: str, folder: Path) -> dict[str, dict[str, bytes]]:
    """Ask until every device has heard all its neighbours (lldpd speaks once a second here)."""

    def ask(device: str, *words: str) -> bytes:
        done = subprocess.run([client, "-u", str(folder / f"{device}.sock"), *words], capture_output=True, check=False)
        return done.stdout

    until = time.monotonic() + 30
    while not all((folder / f"{d}.sock").exists() for d in DEVICES) and time.monotonic() < until:
        time.sleep(0.1)
    for device in DEVICES:
        ask(device, "configure", "lldp", "portidsubtype", "ifname")
        ask(device, "configure", "lldp", "tx-interval", "1")
    while time.monotonic() < until:
        found = {d: {form: ask(d, "-f", form, "show", "neighbors") for form in ("json", "json0")} for d in DEVICES}
        names = sum(found[d]["json0"].count(b'"chassis"') for d in DEVICES)
        ports = all(port.encode() in found["sw1"]["json0"] for port in ("mlx5_0", "mlx5_1", "swp5"))
        if names == 2 * len(CABLES) and ports and b"swp31" in found["sw2"]["json0"]:
            return found
        time.sleep(0.3)
    pytest.fail("lldpd heard no neighbours in 30 s")


@pytest.mark.parametrize("form", ["json", "json0"])
def test_what_lldpd_prints_is_read_whole(tables: dict[str, dict[str, bytes]], form: str) -> None:
    facts = lldp.parse(tables["sw1"][form], "c", "sw1")
    assert facts.accounts["c"].unread == 0
    rows = facts.tables["link_facts"].select("port", "peer_port", "peer_description", "peer_kind").sort("port").rows()
    assert rows == [(1, 1, "gpu1 mlx5_0", "ca"), (2, 1, "gpu1 mlx5_1", "ca"), (31, 5, "sw2", "switch")]
    back = lldp.parse(tables["sw2"][form], "d", "sw2").tables["link_facts"].row(0, named=True)
    assert (back["peer_guid"], back["peer_port"]) == (facts.tables["device_facts"].filter(description="sw1")["guid"][0], 31)


def test_the_text_sniffs_as_lldp(tables: dict[str, dict[str, bytes]]) -> None:
    assert all(lldp.sniff(tables[d][form]) for d in DEVICES for form in ("json", "json0"))
