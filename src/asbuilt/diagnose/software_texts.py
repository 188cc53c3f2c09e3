"""How findings about versions read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_NODES = "nodes"
_BACK = "install the version that was there again"
_CAUSE = "{who}: {found}; expected {expected}"

SOFTWARE_TEXTS: dict[str, Text] = {
    "SW-001": Text(
        _CAUSE,
        "install the locked version on {who}, reboot where it is kernel or driver; then capture and verify again",
        _BACK,
        several=_NODES,
    ),
    "SW-002": Text(
        _CAUSE,
        "decide which version is right, lock it in `software`, bring {who} to it; then capture and verify again",
        _BACK,
        several=_NODES,
    ),
    "SW-003": Text(
        _CAUSE,
        "burn that firmware into {who} (mlxfwmanager or flint), reset the card or reboot; then capture and verify again",
        "burn the firmware that was there",
        several="cards",
    ),
    "SW-004": Text(
        _CAUSE,
        "bring {who} to that VBIOS with the maker's tool, reboot; then capture and verify again",
        "write the VBIOS that was there",
        several="GPUs",
    ),
    "SW-005": Text(
        _CAUSE,
        "install driver and fabric manager of one release on {who}, reboot; then capture and verify again",
        _BACK,
        several=_NODES,
    ),
    "SW-006": Text(
        "{who}: package {found}; expected {expected}",
        "compare the mirrors that {who} {verb} installed from, bring the packages to the same builds; then verify again",
        _BACK,
        several=_NODES,
    ),
    "SW-007": Text(
        "{who}: file {found}; expected {expected}",
        "compare the file with that of another node; put the edit into what installs the nodes, or take it back; verify again",
        "put the edited file back",
        several=_NODES,
    ),
    "SW-008": Text(
        _CAUSE,
        "rebuild the module on {who} for the running kernel (dkms status), reload it or reboot; then verify again",
        _BACK,
        several=_NODES,
    ),
}
#: A check that fails because another one does on the same subject or its node: the reason is told, not both.
SOFTWARE_EXPLAINED: dict[str, tuple[str, ...]] = {}
