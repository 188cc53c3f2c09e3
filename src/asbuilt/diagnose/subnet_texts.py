"""How findings about an InfiniBand subnet read."""

from __future__ import annotations

from asbuilt.diagnose.texts import Text

_LINKS = "links"
_AGAIN = "then capture again"
_NOTHING = "nothing is moved"
_FILES = "put the old file back and restart the manager"
_CABLE = "put the first cable back"

SUBNET_TEXTS: dict[str, Text] = {
    "FAB-005": Text(
        "{who} {verb} {found}, not {expected}: a link that is not up, or that waits for its subnet manager or its far side",
        "Down or Polling: ask the host (ibstat) and look at both ends of the cable; Disabled: enable the port; Initializing or "
        f"Armed: see the subnet manager and its log; {_AGAIN}",
        _NOTHING,
        several=_LINKS,
    ),
    "FAB-006": Text(
        "{who} {verb} in Ethernet mode: the host says {found}, and no InfiniBand discovery can see such a port",
        f"set the port to InfiniBand (mlxconfig -d DEVICE set LINK_TYPE_P1=1) and restart the host; {_AGAIN}",
        "set LINK_TYPE_P1 back to 2 and restart the host",
        by="device",
    ),
    "FAB-007": Text(
        "{who} {has} too few lanes: {found} where {expected} are planned",
        f"clean and reseat both ends, then swap the cable, then the transceiver; {_AGAIN}",
        _CABLE,
        several=_LINKS,
    ),
    "FAB-008": Text(
        "{who} {verb} at {found} where the plan says {expected}: an older part at one end, a forced speed, or a bad cable",
        "check that both ends and the cable are parts of the planned generation and that no speed is forced; reseat, then swap "
        f"the cable; {_AGAIN}",
        _CABLE,
        several=_LINKS,
    ),
    "FAB-009": Text(
        "{who} {has} {found} where the plan says {expected}",
        f"compare the MTU that both ends support (smpquery portinfo, MtuCap) and what the manager is told; {_AGAIN}",
        several=_LINKS,
    ),
    "FAB-010": Text(
        "{who} {has} other LIDs than planned: the master does not use the planned guid2lid file, or other cards answer",
        "compare the master's guid2lid file with the exported one, set honor_guid2lid_file TRUE, let it assign LIDs anew "
        f"(opensm -r, in a maintenance window); {_AGAIN}",
        "restore the guid2lid file that the master had and restart it",
        by="check",
    ),
    "FAB-011": Text(
        "{who} {verb} up and {has} no LID ({found}): no subnet manager has set it up",
        "see with sminfo whether a manager runs on this subnet, and in its log why it does not reach these ports "
        f"(SUBNET UP, ERR, M_Key); start it, {_AGAIN}",
        "stop the manager that was started",
    ),
    "FAB-012": Text(
        "{who} {verb} held by more than one device: {found}",
        "look for a second subnet manager (sminfo, saquery -s) and for a cable that joins two subnets; let one manager assign "
        f"LIDs anew; {_AGAIN}",
        "nothing is moved; restart the other manager if it was meant to run",
        by="check",
        several="LIDs",
    ),
    "FAB-013": Text(
        "one GUID stands for several devices, or for none: {found}; a card's GUID was overwritten, or a host was cloned",
        f"read the GUID on these cards (flint -d DEVICE q), restore the one that was overwritten, restart its host; {_AGAIN}",
        "write the old GUID back with the same tool",
        by="subject",
    ),
    "FAB-014": Text(
        "several devices answer with one name ({who}): {found}",
        "set the host name on the wrong one and let the driver renew its node description (rdma-ndd, or "
        f"/sys/class/infiniband/*/node_desc); {_AGAIN}",
        "set the old host name again",
        by="check",
        several="names",
    ),
    "FAB-015": Text(
        "{who} answers with {found}, declared is {expected}: the card was exchanged, or the list is of another device",
        "if the card was exchanged on purpose, put the new GUID into guids.csv, plan and export again; else find the "
        f"declared card; {_AGAIN}",
        "put the old GUID back into guids.csv",
        by="subject",
    ),
    "FAB-016": Text(
        "{who} {has} no entry of a planned partition ({expected}): {found}",
        f"look in the manager's log for PARSE ERROR, compare its partitions.conf with the exported one, let it sweep; {_AGAIN}",
    ),
    "FAB-017": Text(
        "{who} {verb} {found} where a {expected} is planned",
        f"correct the member's word in partitions.conf (full or limited), let the manager sweep (kill -HUP); {_AGAIN}",
    ),
    "FAB-018": Text(
        "{who} {has} a partition at another index: {found}, planned is {expected}",
        "reload the driver of these ports, or restart the manager, so that the table is filled in order; or set the index "
        f"anew in the job environment; {_AGAIN}",
        "set the old index in the job environment",
    ),
    "FAB-019": Text(
        "{who} {has} an entry that the plan does not know: {found}",
        f"take these ports out of that partition in partitions.conf, or put it into the plan; let the manager sweep; {_AGAIN}",
    ),
    "FAB-021": Text(
        "{who} {verb} mapped otherwise than planned: {found}, planned is {expected}",
        f"compare the master's qos and qos_sl2vl lines with the exported ones, restart it; {_AGAIN}",
        _FILES,
    ),
    "FAB-021+": Text(  # and the arbitration of the same ports
        "the manager does not apply the planned QoS: {who} {has} neither mapping nor arbitration as planned ({found}): qos is "
        "FALSE, or its lines were passed over",
        "look in the manager's output for Unrecognized token and Warning, compare its qos lines with the exported ones, "
        f"restart it; {_AGAIN}",
        _FILES,
    ),
    "FAB-022": Text(
        "{who} {has} other arbitration than planned: {found}, planned is {expected}",
        f"compare the master's qos_vlarb_high and qos_vlarb_low lines with the exported ones, restart it; {_AGAIN}",
        _FILES,
    ),
    "FAB-023": Text(
        "{who} {has} {found}, the plan uses {expected}",
        f"compare qos_max_vls with the exported one, and VLCap of the part (smpquery portinfo); restart the manager; {_AGAIN}",
        _FILES,
    ),
    "FAB-024": Text(
        "{who} {has} {found}, planned is {expected}",
        f"compare the master's qos_high_limit line with the exported one, restart it; {_AGAIN}",
        _FILES,
    ),
    "FAB-025": Text(
        "another manager than the planned one is master of {who}: {found}, planned is {expected}",
        "if it is the planned standby, see why the master stopped and start it again; if the plan does not know it, stop it "
        f"(opensm on a host; `no ib sm` on a switch); {_AGAIN}",
        "start the stopped manager again",
        by="subject",
        several="subnets",
    ),
    "FAB-026": Text(
        "{who} has not exactly one master: {found}",
        "stop the manager that is not planned; if both are, compare subnet prefix, M_Key and SM_Key of their files; if none is "
        f"master, see their logs; {_AGAIN}",
        "start the stopped manager again",
        by="subject",
        several="subnets",
    ),
    "FAB-027": Text(
        "the planned standby on {who} does not stand by: {found}",
        f"start the manager on that host with the exported files and its own priority, see its log; {_AGAIN}",
        "stop that manager",
        by="subject",
    ),
    "FAB-028": Text(
        "{who}: {found}, planned is {expected}",
        f"set sm_priority as exported and restart that manager, or stop the manager that the plan does not know; {_AGAIN}",
        "set the old priority, or start the stopped manager again",
        by="subject",
        several="managers",
    ),
    "FAB-029": Text(
        "the subnet manager's log, or the tool that looked, says: {found}",
        "correct the line that the message names in the manager's files, restart it, and capture log and output again",
        _FILES,
        by="expected",
        several="lines",
    ),
    "FAB-030": Text(
        "{who} {has} a raw bit error ratio that stands out: {found}; {expected}",
        f"watch it: FEC corrects raw errors; clean both ends at the next occasion, {_AGAIN}",
        _NOTHING,
        by="subject",
    ),
    "FAB-031": Text(
        "{who} {has} more symbol errors than the limit allows: {found}",
        f"clean and inspect both ends, then swap the cable, then the transceiver, one at a time; {_AGAIN}",
        _CABLE,
        by="subject",
    ),
    "FAB-032": Text(
        "{who} went down within the window: {found}",
        f"see in the logs whether somebody pulled it or restarted the host; else reseat, then swap the cable; {_AGAIN}",
        _CABLE,
        by="device",
    ),
    "FAB-033": Text(
        "{who} retrains too often: {found}, the limit is {expected}",
        f"clean and reseat both ends, then swap the cable; {_AGAIN}",
        _CABLE,
        by="subject",
    ),
    "FAB-034": Text(
        "{who} {has} too many receive errors: {found}, the limit is {expected}",
        f"read the details (perfquery -E), clean both ends, then swap the cable, then look at the far port; {_AGAIN}",
        _CABLE,
        by="subject",
    ),
    "FAB-035": Text(
        "{who} {has} too many discarded packets: {found}, the limit is {expected}",
        f"look for a congested or dead path behind this port (routing, a slow receiver), and its far end's state; {_AGAIN}",
        _NOTHING,
        by="subject",
    ),
    "FAB-036": Text(
        "{who} {has} a bit error ratio after correction above the limit: {found}, the limit is {expected}",
        f"clean and inspect both ends, then swap the cable, then the transceiver; {_AGAIN}",
        _CABLE,
        by="subject",
    ),
    "FAB-037": Text(
        "{who} receives too little light: {found}; {expected}",
        f"clean and inspect the fibre ends of this lane at both sides, then swap the jumper; {_AGAIN}",
        "put the first jumper back",
        by="subject",
    ),
    "FAB-038": Text(
        "{who} {has} a module that is too hot: {found}, the limit is {expected}",
        f"check the airflow at this cage: blanking panels, fans, the direction of air; {_AGAIN}",
        "put the panels back as they were",
        by="subject",
    ),
    "FAB-039": Text(
        "{who}: {found}; {expected}",
        f"bring the odd ones to the firmware (or part) of the others, or accept the mix by a waiver; {_AGAIN}",
        "flash the old firmware image",
        several="modules",
    ),
}
