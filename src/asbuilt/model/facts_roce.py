"""Fact tables of RDMA over Ethernet as hosts and switches answer: what is set per hop, and whether a port is up.

A setting is one row, so that a host's ``mlnx_qos``, a Cumulus ``nv show … qos`` and a SONiC ``config_db.json`` say the same
thing in the same words. What a tool does not print has no row: an absent row is *not read*, never *off*.

Words of ``setting`` (``index`` in brackets, ``value`` with its unit, or ``text``):

=========================  ==============================================================================
``trust``                  text: ``dscp``, ``pcp``, ``both`` or ``port``: what a frame's priority is read from
``pfc`` [priority]         1 when priority flow control is on for the priority, else 0
``dscp_to_priority`` [DSCP]  switch or user priority (SONiC: traffic class) that the code point falls into
``pcp_to_priority`` [PCP]  the same for the VLAN tag's code point
``priority_to_tc`` [priority]  traffic class or egress queue that carries the priority
``priority_to_buffer`` [priority]  receive buffer or ingress priority group of the priority
``buffer_bytes`` [buffer]  size of the receive buffer or ingress priority group
``xoff_bytes``, ``xon_bytes`` [buffer]  headroom above, and level of resuming
``tc_algorithm`` [tc]      text: ``ets``, ``strict`` or ``vendor``
``tc_bandwidth_percent`` [tc]  share of the traffic class (ETS, DWRR weight as printed)
``tc_limit_gbps`` [tc]     rate limit; no row for an unlimited class
``ecn`` [tc]               1 when congestion is marked on the traffic class, else 0
``ecn_min_bytes``, ``ecn_max_bytes`` [tc]  marking thresholds
``ecn_probability_percent`` [tc]  marking probability at the upper threshold
``cable_length_m``         cable length that the port's headroom is computed for
``roce_mode``              text: ``lossless``, ``lossy`` or ``off``
``cma_tos``                default type of service of the RDMA connection manager; index: port of the device
``cma_dscp``               the upper six bits of ``cma_tos`` (RFC 2474 section 3); no row while it is not set
=========================  ==============================================================================
"""

from __future__ import annotations

from asbuilt.base.table import Column, Schema

C = Column
_ORIGIN = (
    C("capture_id", "str", "the capture that says so"),
    C("line", "i64", "1-based line (or record) of the capture"),
)

ROCE_FACTS = Schema(
    "roce_facts",
    "One row per setting of a port, or of a whole device, that RDMA over Ethernet hangs on (mlnx_qos, NVUE, SONiC, ...).",
    (
        C("device", "str", "host or switch: the capture's subject, or what the text says", nullable=True),
        C("side", "str", "host or switch"),
        C("interface", "str", "interface or RDMA device; null for the whole device", nullable=True),
        C("setting", "str", "which setting: the words of the module's table"),
        C("index", "i64", "priority, DSCP, traffic class or buffer that it is set for", nullable=True),
        C("value", "f64", "value as a number", nullable=True),
        C("text", "str", "value as a word", nullable=True),
        C("unit", "str", "unit of the value; empty for numbers of classes and for words"),
        C("profile", "str", "named map or profile that it comes from", nullable=True),
        *_ORIGIN,
    ),
    ("capture_id", "line", "interface", "setting", "index", "device"),
)
INTERFACE_FACTS = Schema(
    "interface_facts",
    "One row per Ethernet interface as its own device sees it (nv show interface, show interfaces status, config_db.json).",
    (
        C("device", "str", "host or switch", nullable=True),
        C("side", "str", "host or switch"),
        C("interface", "str", "interface name"),
        C("alias", "str", "front-panel name or description", nullable=True),
        C("admin", "str", "up or down: what it was told to be", nullable=True),
        C("oper", "str", "up or down: what it is; null in a configuration", nullable=True),
        C("speed_gbps", "f64", "speed in use, or set", "Gb/s", nullable=True),
        C("mtu_bytes", "i64", "MTU", "bytes", nullable=True),
        C("lanes", "i64", "serial lanes", nullable=True),
        C("fec", "str", "forward error correction as printed", nullable=True),
        C("configured", "bool", "true: what is set (a configuration); false: what is in use"),
        *_ORIGIN,
    ),
    ("capture_id", "line", "interface", "device"),
)

ROCE_TABLES = (ROCE_FACTS, INTERFACE_FACTS)
