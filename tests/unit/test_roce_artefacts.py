"""Settings written for switches and hosts: they say what the plan says, in words that shells and parsers take as meant."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import polars as pl
import pytest

from asbuilt.artefacts.hosts_dns import domain_of, hosts_dns
from asbuilt.artefacts.roce import roce
from asbuilt.base.problem import ProblemError
from asbuilt.model.capture import Capture
from asbuilt.model.requirement import Roce
from asbuilt.rehearse.roce_captures import roce_captures
from asbuilt.workflow.captures import facts_of
from asbuilt.workflow.compare import compare
from roce_clusters import few_leaves, roce_cluster

FAKE = """#!/bin/sh
printf '%s' "{name}" >> "{log}"
printf ' %s' "$@" >> "{log}"
printf '\\n' >> "{log}"
"""


def test_a_cumulus_switch_is_told_everything_that_the_checks_read() -> None:
    files = roce(few_leaves())
    text = files["roce/compute/switches/leaf-00-00.nvue.txt"].decode()
    lines = text.splitlines()
    assert lines[0].startswith("# not rehearsed: ")
    for wanted in (
        "nv set qos roce mode lossless",
        "nv set qos mapping default-global trust l3",
        "nv set qos mapping default-global dscp 26 switch-priority 3",
        "nv set qos mapping default-global dscp 48 switch-priority 6",
        "nv set qos egress-queue-mapping default-global switch-priority 3 traffic-class 3",
        "nv set qos congestion-control roce-150000-1500000 traffic-class 3 min-threshold 150000",
        "nv set qos congestion-control roce-150000-1500000 traffic-class 3 probability 100",
        "nv config apply",
    ):
        assert wanted in lines
    mtu = [line for line in lines if line.endswith("link mtu 9216")]
    assert len(mtu) == 1 and mtu[0].startswith("nv set interface swp1s0,swp1s1,")
    ports = few_leaves().table("roce_ports").filter(name="leaf-00-00")
    named = {i for line in lines if " qos pfc profile " in line for i in line.split()[3].split(",")}
    assert named == set(ports["interface"]), "every port has a profile for its cable"


def test_thresholds_that_grow_with_the_rate_are_profiles_of_their_own() -> None:
    plan = few_leaves(roce=Roce(ecn_by_rate=True, ecn_min_kb=100, ecn_max_kb=400))
    text = roce(plan)["roce/compute/switches/leaf-00-00.nvue.txt"].decode()
    assert "congestion-control roce-400000-1600000 traffic-class 3 max-threshold 1600000" in text


def test_a_sonic_fragment_read_back_is_as_planned() -> None:
    plan = few_leaves(roce=Roce(switch_os="sonic"))
    files = {path: data for path, data in roce(plan).items() if path.endswith(".config_db.json")}
    assert len(files) == 4
    captures = [Capture(path, data, "sonic-config") for path, data in files.items()]
    seen = compare(plan, facts_of(captures))
    counted = {c.id: c for c in seen.coverage}
    switches = plan.table("roce_ports").filter(pl.col("role") != "host").height
    for id in ("NET-001", "NET-002", "NET-003", "NET-004", "NET-005", "NET-007", "NET-008"):
        assert (counted[id].passed, counted[id].failed) == (switches, 0), id
    assert json.loads(next(iter(files.values())))["DEVICE_METADATA"]["localhost"]["hostname"] in ("leaf-00-00", "leaf-00-01")


def test_host_table_and_scripts() -> None:
    files = roce(few_leaves())
    rows = [line.split("\t") for line in files["roce/compute/hosts.tsv"].decode().splitlines() if not line.startswith("#")]
    ports = few_leaves().table("roce_ports").filter(role="host")
    assert len(rows) == ports.height
    cable = f"{ports.filter(name='node-0000', interface='mlx5_0')['cable_m'][0]:.0f}"
    assert rows[0] == ["node-0000", "mlx5_0", "9216", cable, "3", "26", "3", "6", "48", "6"]


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host with faked programs and a faked /sys: `log` holds what was called."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("mlnx_qos", "cma_roce_tos", "ip", "sysctl", "ethtool"):
        (programs / name).write_text(FAKE.format(name=name, log=tmp_path / "log"))
        (programs / name).chmod(0o755)
    (programs / "hostname").write_text("#!/bin/sh\necho node-0000\n")
    (programs / "hostname").chmod(0o755)
    for device, net in (("mlx5_0", "eth0"), ("mlx5_1", "eth1")):
        (tmp_path / "sys/class/infiniband" / device / "device/net" / net).mkdir(parents=True)
        for point in ("roce_np", "roce_rp"):
            place = tmp_path / "sys/class/net" / net / "ecn" / point
            (place / "enable").mkdir(parents=True)
            for priority in range(8):
                (place / "enable" / str(priority)).write_text("0\n")
    for path, data in roce(few_leaves()).items():
        if path.startswith("roce/compute/h") or path.endswith("capture.sh"):
            (tmp_path / Path(path).name).write_bytes(data)
    return tmp_path


def run(host: Path, *words: str, shell: str = "sh") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": f"{host / 'bin'}:{os.environ['PATH']}", "ASBUILT_SYS": str(host / "sys")}
    return subprocess.run([shell, *words], cwd=host, env=env, capture_output=True, text=True, timeout=60)


def test_the_host_script_sets_every_port_of_its_host(host: Path) -> None:
    done = run(host, "./host.sh")
    assert done.returncode == 0, done.stderr
    called = (host / "log").read_text().splitlines()
    assert "ip link set dev eth0 mtu 9216" in called
    for wanted in (
        "mlnx_qos -i eth1 --trust dscp",
        "mlnx_qos -i eth1 --dscp2prio set,26,3",
        "mlnx_qos -i eth1 --dscp2prio set,48,6",
        "mlnx_qos -i eth1 --prio_tc 0,0,0,3,0,0,6,0",
        "mlnx_qos -i eth1 --pfc 0,0,0,1,0,0,0,0",
        "cma_roce_tos -d mlx5_1 -t 106",
        "sysctl -q -w net.ipv4.conf.eth1.arp_ignore=1 net.ipv4.conf.eth1.arp_announce=2",
    ):
        assert wanted in called
    assert (host / "sys/class/net/eth0/ecn/roce_rp/enable/3").read_text() == "1\n"
    assert (host / "sys/class/net/eth0/ecn/roce_np/cnp_dscp").read_text() == "48\n"
    assert not any("node-0001" in line for line in called)


def test_a_host_that_is_not_in_the_table_is_told(host: Path) -> None:
    (host / "bin/hostname").write_text("#!/bin/sh\necho stranger\n")
    done = run(host, "./host.sh")
    assert done.returncode == 1 and "stranger is not in ./hosts.tsv" in done.stderr


def test_what_the_capture_script_prints_is_what_the_checks_read(host: Path) -> None:
    plan = few_leaves()
    twin = {c.tool: c.data.decode() for c in roce_captures(plan, devices=["node-0000"])}
    answers = {}
    for line in twin["mlnx_qos"].splitlines():
        text = line.removeprefix("node-0000: ")
        if text.startswith("# mlnx_qos"):
            block = answers.setdefault({"mlx5_0": "eth0", "mlx5_1": "eth1"}[text.split()[-1]], [])
        else:
            block.append(text)
    for net, lines in answers.items():
        (host / net).write_text("\n".join(lines) + "\n")
    (host / "bin/mlnx_qos").write_text(f'#!/bin/sh\ncat "{host}/$2"\n')
    (host / "bin/cma_roce_tos").write_text("#!/bin/sh\necho 106\n")
    (host / "bin/ip").write_text(
        '#!/bin/sh\necho "4: $5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9216 qdisc mq state UP qlen 1"\n'
    )
    for net in ("eth0", "eth1"):
        for point in ("roce_np", "roce_rp"):
            (host / "sys/class/net" / net / "ecn" / point / "enable/3").write_text("1\n")
    parts = {"qos": "mlnx_qos", "tos": "cma_roce_tos", "ecn": "roce-ecn", "link": "interface-status"}
    captures = []
    for part, tool in parts.items():
        done = run(host, "./capture.sh", part)
        assert done.returncode == 0, done.stderr
        captures.append(Capture(part, done.stdout.encode(), tool, "node-0000"))
    facts = facts_of(captures)
    assert all(a.unread == 0 for a in facts.accounts.values())
    counted = {c.id: c for c in compare(plan, facts).coverage}
    for id in ("NET-001", "NET-002", "NET-004", "NET-005", "NET-007"):
        assert (counted[id].passed, counted[id].failed) == (2, 0), id
    assert run(host, "./capture.sh").returncode == 2
    assert run(host, "./capture.sh", "all; touch hacked").returncode == 2 and not (host / "hacked").exists()


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_the_scripts_are_plain_shell(host: Path, shell: str) -> None:
    for script in ("host.sh", "capture.sh"):
        assert run(host, "-n", script, shell=shell).returncode == 0


def test_a_name_that_a_shell_would_run_is_refused() -> None:
    import dataclasses

    plan = few_leaves()
    ports = plan.table("roce_ports").with_columns(pl.lit("node$(reboot)").alias("name"))
    with pytest.raises(ProblemError, match=r"ART-001 the name 'node\$\(reboot\)' cannot be written"):
        roce(dataclasses.replace(plan, tables={**plan.tables, "roce_ports": ports}))


def test_nothing_is_written_where_no_plane_carries_rdma() -> None:
    assert roce(few_leaves(roce=Roce(enabled=False))) == {}


def test_names_and_addresses_for_name_servers() -> None:
    plan = roce_cluster()
    files = hosts_dns(plan)
    assert domain_of(plan) == "small-roce.internal"
    assert sorted(files) == ["dns/dnsmasq.conf", "dns/hosts", "dns/in-addr.arpa.zone", "dns/small-roce.internal.zone"]
    hosts = files["dns/hosts"].decode().splitlines()
    assert "10.0.0.32\tnode-0000-compute-r0.small-roce.internal node-0000-compute-r0" in hosts
    assert "node-0000-compute-r0\tIN\tA\t10.0.0.32" in files["dns/small-roce.internal.zone"].decode()
    assert "32.0.0.10\tIN\tPTR\tnode-0000-compute-r0.small-roce.internal." in files["dns/in-addr.arpa.zone"].decode()
    assert "host-record=node-0000-bmc,node-0000-bmc.small-roce.internal,10.160.0.32" in files["dns/dnsmasq.conf"].decode()
    assert len(hosts) == plan.table("addresses").height + 1
    assert hosts_dns(plan) == files, "equal plans give equal bytes"
