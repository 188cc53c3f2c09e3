"""What a node's BMC says: sensors, field replaceable units, event log, by the forms of ipmitool. Texts carry marks."""

from __future__ import annotations

from asbuilt.rehearse.node_marks import mark
from asbuilt.rehearse.node_state import State

#: name, reading, unit, lower critical, upper critical
_SENSORS = (
    ("CPU0_Temp", "48.000", "degrees C", "na", "95.000"),
    ("CPU1_Temp", "49.000", "degrees C", "na", "95.000"),
    ("Inlet_Temp", "24.000", "degrees C", "na", "40.000"),
    ("Outlet_Temp", "41.000", "degrees C", "na", "75.000"),
    ("P12V", "12.096", "Volts", "10.800", "13.200"),
    ("P3V3", "3.312", "Volts", "2.970", "3.630"),
    ("Total_Power", "2210.000", "Watts", "na", "na"),
)
_FANS = tuple((f"FAN{i}", "7800.000", "RPM", "900.000", "na") for i in range(1, 9))
#: A supply that is present (IPMI sensor type 08h, offset 0: low byte first).
_PRESENT, _QUIET = "0x0180", "0x0080"
_LEAKS = ("Leak_Detect_0", "Leak_Detect_1")


def sensors(state: State) -> str:
    """``ipmitool sensor``: name, reading, unit, state, six limits."""
    liquid = state.board.grace
    lines = []
    for name, value, unit, low, high in (*_SENSORS, *(() if liquid else _FANS)):
        if name == "Inlet_Temp":
            value = state.vary("inlet", value)
        lines.append(_line(name, value, unit, "ok", ("na", low, "na", "na", high, "na")))
    lines += [_line(f"PSU{i}_Status", "0x0", "discrete", _PRESENT, ("na",) * 6) for i in range(state.supplies)]
    lines.append(_line("Watchdog", "0x0", "discrete", _QUIET, ("na",) * 6))
    for index, name in enumerate(_LEAKS if liquid or state.leak else ()):
        # Bit 0 of a discrete leak sensor: leak detected (IPMI 2.0 table 42-3 gives the state in the low byte first).
        word = "0x0280" if state.leak and index == 0 else "0x0180"
        lines.append(_line(name, "0x0", "discrete", word, ("na",) * 6))
    return "".join(lines)


def _line(name: str, value: str, unit: str, state: str, limits: tuple[str, ...]) -> str:
    cells = (f"{name:<16}", f" {value:<10}", f" {unit:<10}", f" {state:<6}", *(f" {limit:<9} " for limit in limits))
    return "|".join((cells[0] + " ", *(c + " " if i < 3 else c for i, c in enumerate(cells[1:])))).rstrip() + "\n"


def fru(state: State) -> str:
    """``ipmitool fru print``."""
    maker = state.board.maker
    rows = [
        ("FRU Device Description", "Builtin FRU Device (ID 0)"),
        (" Chassis Type", "Rack Mount Chassis"),
        (" Chassis Serial", mark("chassis")),
        (" Board Mfg Date", "Mon Sep  1 08:00:00 2025 UTC"),
        (" Board Mfg", maker.vendor),
        (" Board Product", maker.product),
        (" Board Serial", mark("board")),
        (" Product Manufacturer", maker.vendor),
        (" Product Name", maker.product),
        (" Product Serial", mark("serial")),
    ]
    return "".join(f"{name:<22} : {value}\n" if name[0] == "F" else f"{name:<22}: {value}\n" for name, value in rows) + "\n"


def sel(state: State) -> str:
    """``ipmitool sel elist``: number, date, time, sensor, event, direction."""
    first = "11/30/2026 | 07:55:02 UTC | System Event SystemEvent | Timestamp Clock Sync | Asserted"
    lines = [first, *state.events]
    return "".join(f"{number:>4x} | {line}\n" for number, line in enumerate(lines, start=1))
