"""Scripts for hosts with RDMA over Ethernet: one that sets every port of a table, one that reads back what is set."""

from __future__ import annotations

TABLE_HEAD = "#host\tdevice\tmtu\tcable_m\tpriority\tdscp\tqueue\tcnp_priority\tcnp_dscp\tcnp_queue"

_NETDEV = """\
netdev() {
    # the network interface of an RDMA device
    for path in "$sys/class/infiniband/$1/device/net/"*; do
        [ -e "$path" ] && basename "$path" && return 0
    done
    return 1
}
"""
SCRIPT = (
    """\
#!/bin/sh
# not rehearsed: no NIC was asked; commands follow NVIDIA's manuals (MLNX_OFED: mlnx_qos, cma_roce_tos, ECN)
# Sets the RDMA ports of this host as hosts.tsv beside this script says. Run as root at every boot: nothing here survives one.
set -eu
table="$(dirname "$0")/hosts.tsv"
host="$(hostname -s)"
tab="$(printf '\\t')"
sys="${ASBUILT_SYS:-/sys}"
found=0
"""
    + _NETDEV
    + """\
list() {
    # eight numbers: $2 at place $1 and $4 at place $3, 0 elsewhere
    out=""
    for p in 0 1 2 3 4 5 6 7; do
        value=0
        [ "$p" = "$1" ] && value="$2"
        [ "${3:-}" != "" ] && [ "$p" = "$3" ] && value="$4"
        out="$out,$value"
    done
    printf '%s\\n' "${out#,}"
}
while IFS="$tab" read -r name device mtu cable priority dscp queue cnp_priority cnp_dscp cnp_queue; do
    [ "$name" = "$host" ] || continue
    found=1
    net="$(netdev "$device")" || { echo "no network interface for $device" >&2; exit 1; }
    ip link set dev "$net" mtu "$mtu"
    mlnx_qos -i "$net" --trust dscp >/dev/null
    mlnx_qos -i "$net" --dscp2prio "set,$dscp,$priority" >/dev/null
    mlnx_qos -i "$net" --dscp2prio "set,$cnp_dscp,$cnp_priority" >/dev/null
    mlnx_qos -i "$net" --prio_tc "$(list "$priority" "$queue" "$cnp_priority" "$cnp_queue")" >/dev/null
    mlnx_qos -i "$net" --pfc "$(list "$priority" 1)" >/dev/null
    if [ "$cable" != "-" ]; then mlnx_qos -i "$net" --cable_len "$cable" >/dev/null; fi
    cma_roce_tos -d "$device" -t "$((dscp * 4 + 2))" >/dev/null
    echo 1 > "$sys/class/net/$net/ecn/roce_np/enable/$priority"
    echo 1 > "$sys/class/net/$net/ecn/roce_rp/enable/$priority"
    echo "$cnp_dscp" > "$sys/class/net/$net/ecn/roce_np/cnp_dscp"
    # a host with several interfaces answers for each address on its own interface only (ip-sysctl of Linux)
    sysctl -q -w "net.ipv4.conf.$net.arp_ignore=1" "net.ipv4.conf.$net.arp_announce=2"
done < "$table"
[ "$found" = 1 ] || { echo "$host is not in $table" >&2; exit 1; }
"""
)
CAPTURE = (
    """\
#!/bin/sh
# not rehearsed: no NIC was asked
# Prints what RDMA over Ethernet hangs on, under the names of RDMA devices, so that the plan knows every port. Changes nothing.
# One file for each part, of one host or by pdsh or clush of all:  capture.sh qos | tos | ecn | link | counters
set -eu
table="$(dirname "$0")/hosts.tsv"
host="$(hostname -s)"
tab="$(printf '\\t')"
sys="${ASBUILT_SYS:-/sys}"
part="${1:-}"
"""
    + _NETDEV
    + """\
case "$part" in qos | tos | ecn | link | counters) ;; *)
    echo "usage: $0 qos|tos|ecn|link|counters" >&2
    exit 2
    ;;
esac
[ "$part" = counters ] && date -u '+# time: %Y-%m-%dT%H:%M:%SZ'
while IFS="$tab" read -r name device rest; do
    [ "$name" = "$host" ] || continue
    net="$(netdev "$device")" || { echo "no network interface for $device" >&2; continue; }
    case "$part" in
    qos)
        echo "# mlnx_qos -i $device"
        mlnx_qos -i "$net"
        ;;
    tos)
        echo "# cma_roce_tos -d $device"
        cma_roce_tos -d "$device"
        ;;
    ecn)
        for point in roce_np roce_rp; do
            grep . "$sys/class/net/$net/ecn/$point/enable/"* | sed "s|^$sys/class/net/$net/|/sys/class/net/$device/|"
        done
        ;;
    link) ip -o link show dev "$net" | sed "s|: $net:|: $device:|" ;;
    counters)
        echo "# ethtool -S $device"
        ethtool -S "$net"
        ;;
    esac
done < "$table"
"""
)
