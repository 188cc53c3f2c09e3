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
    "firmware": (("NOD-032",), ()),
    "numa": (("NOD-040", "NOD-043"), ()),
    "irq": (("NOD-042",), ()),
    "nps": (("NOD-014",), ()),
    "dimm": (("NOD-010",), ("NOD-012",)),
    "module": (("NOD-054",), ()),
    "peermem": (("NOD-051",), ()),
    "cmdline": (("NOD-015",), ()),
    "fabricmanager": (("NOD-050",), ("GPU-012",)),
    "leak": (("NOD-061",), ("NOD-060", "NOD-062")),
    "aer": (("NOD-025",), ()),
    "nvlink": (("GPU-011",), ()),
    "fabricstate": (("GPU-012",), ()),
    "clique": (("GPU-013",), ()),
    "xid": (("GPU-020",), ()),
    "ecc": (("GPU-021",), ()),
    "remap": (("GPU-022",), ()),
    "throttle": (("GPU-023",), ()),
    "asleep": ((), ()),
    "driver": (("SW-001",), ()),
    "kernel": (("SW-002",), ()),
    "hang": (("NOD-004",), ()),
    "silent": (("NOD-001",), ()),
    "sameas": (("NOD-002",), ("NOD-003", "FAB-010", "FAB-012", "FAB-013", "FAB-014", "FAB-015")),
}
