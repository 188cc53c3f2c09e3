"""Which checks must name each fault inside a node, and which may speak besides: held against the findings of a rehearsal."""

from __future__ import annotations

#: kind -> (checks of which one must name each subject, checks that may speak of anything besides).
EXPECTED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "gpu": (("GPU-001",), ()),
    "width": (("NOD-020",), ()),
    "gen": (("NOD-021",), ()),
    "rootport": (("NOD-022",), ()),
    "acs": (("NOD-023",), ()),
    "mrrs": (("NOD-024",), ()),
    "nicset": (("NOD-030",), ("NOD-031",)),
    "ethmode": (("NOD-032",), ("NOD-031",)),
    "firmware": (("SW-003", "SW-001"), ("SW-002",)),
    "numa": (("NOD-040", "NOD-043"), ("GPU-003",)),  # bus numbers behind the moved card shift
    "irq": (("NOD-042",), ()),
    "nps": (("NOD-014",), ()),
    "dimm": (("NOD-010",), ("NOD-012",)),
    "module": (("NOD-054",), ()),
    "peermem": (("NOD-051",), ()),
    "cmdline": (("NOD-015",), ()),
    "fabricmanager": (("NOD-050",), ("GPU-007",)),
    "leak": (("NOD-061",), ("NOD-060", "NOD-062")),
    "aer": (("NOD-025",), ()),
    "nvlink": (("GPU-005",), ()),
    "fabricstate": (("GPU-007",), ("GPU-008",)),
    "clique": (("GPU-008",), ()),
    "xid": (("GPU-012",), ()),
    "ecc": (("GPU-010",), ()),
    "remap": (("GPU-011",), ()),
    "throttle": (("GPU-013",), ()),
    "asleep": ((), ()),
    "driver": (("SW-001", "SW-002"), ("SW-005", "SW-008")),
    "kernel": (("SW-001", "SW-002"), ()),
    "config": (("SW-007",), ()),
    "hang": (("NOD-004",), ()),
    "silent": (("NOD-001",), ()),
    "sameas": (("NOD-002",), ("NOD-003", "FAB-010", "FAB-012", "FAB-013", "FAB-014", "FAB-015")),
}
