"""The stages of the active tests in POSIX shell: what runs on one node, between two, on a rail, in a row, on all.

Every collective is asked for messages from 512 MiB to 8 GiB with results checked, and NCCL says what it does: that is what the
checks PERF-001 to PERF-021 need to call a number a measurement. ``dcgmi`` answers in JSON, nvbandwidth and mamf-finder in text.
"""

from __future__ import annotations

#: Collectives that the plan has expectations of.
COLLECTIVES = "all_reduce all_gather reduce_scatter"

ABOUT = {
    "guard.sh": "lock of a node, refused beside jobs",
    "one_node.sh": "what one node runs by itself",
    "node.sh": "every node by itself",
    "pair.sh": "every two nodes once, in rounds of pairs that run at the same time",
    "rail.sh": "all nodes over one rail after the other",
    "row.sh": "NVLink domains, then the row",
    "full.sh": "all nodes",
}

ONE_NODE = r"""
# sh one_node.sh NODE FOLDER TOKEN: the results of this node into FOLDER, which all nodes share
[ $# -eq 3 ] || exit 2
node=$1 out=$2
lock=${ASBUILT_LOCKS:-/var/lock}/asbuilt-tests
if [ "$(sed -n 's/^token //p' "$lock/owner" 2>/dev/null)" != "$3" ]; then
    echo "refused: $node is not locked by this run" >&2
    exit 3
fi
echo $$ >"$lock/pid"
bad=0
# Not a variable: a signal may come between the start of a program and its assignment.
trap 'kill "${!:-}" 2>/dev/null; wait; rm -f "$lock/pid"; exit 143' HUP INT TERM
trap 'rm -f "$lock/pid"' EXIT

run() { # FILE WORD...: behind what the file holds already
    file=$1
    shift
    # JSON must stay alone; of the others the words of a failure belong to the log.
    case $file in
    *.json) "$@" </dev/null >>"$out/$file" 2>>"$out/.$node.errors" & ;;
    *) "$@" </dev/null >>"$out/$file" 2>&1 & ;;
    esac
    wait "$!" || bad=1
}

run "$node-dcgmi.json" timeout 7200 dcgmi diag -r 3 -j
run "$node-nvbandwidth.txt" timeout 3600 nvbandwidth
gpu=0
while [ "$gpu" -lt "$gpus" ]; do
    # One size that is large on every GPU: what one is slow at, all sizes show.
    run "$node-gemm.txt" timeout 1200 mamf-finder.py --cuda_device "$gpu" --dtype bfloat16 \
        --m 8192 --n 8192 --k 8192 --output_file /dev/null
    gpu=$((gpu + 1))
done
NCCL_DEBUG=INFO
NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH
export NCCL_DEBUG NCCL_DEBUG_SUBSYS
for collective in @COLLECTIVES@; do
    set -- "${collective}_perf" -b 512M -e 8G -f 2 -g "$gpus" -c 1 -n 20 -w 5
    printf '# asbuilt procedure %s\n%s\n' "$procedure" "$*" >"$out/$node-$collective.log"
    run "$node-$collective.log" timeout 3600 "$@"
done
exit "$bad"
"""

NODE = r"""
stage=node
mnnvl=no
. "$here/lib.sh"
begin "$@"
open "$results"
while read -r one; do
    note "$one-dcgmi.json" dcgmi-diag "$one"
    note "$one-nvbandwidth.txt" nvbandwidth "$one"
    note "$one-gemm.txt" mamf-finder "$one"
    for collective in @COLLECTIVES@; do note "$one-$collective.log" nccl-tests "$one"; done
    if [ "$dry" = yes ]; then
        echo "$one: dcgmi diag, nvbandwidth, mamf-finder.py, @COLLECTIVES@ on $gpus GPUs"
    else
        start on "$one" env "ASBUILT_LOCKS=$locks" sh "$here/one_node.sh" "$one" "$part" "$token" </dev/null
    fi
done <"$hosts"
finish
end
"""

PAIR = r"""
stage=pair
mnnvl=no
. "$here/lib.sh"

meetings() { # ROUND: pairs of a round robin by the circle method; of an odd number one node rests
    awk -v r="$1" '{ name[NR - 1] = $1 }
    END {
        m = NR + NR % 2
        for (i = 0; i < m / 2; i++) {
            a = i ? (r + i) % (m - 1) : m - 1
            b = i ? (r - i + m - 1) % (m - 1) : r
            if (a < NR && b < NR) print name[a], name[b]
        }
    }' "$hosts"
}

write_bw() { # SERVER CLIENT RAIL DEVICE GPU PORT: large writes from GPU memory to GPU memory, both ends kept
    server=$1 client=$2 port=$6
    from="bw-$server-$client-rail$3-server.log" to="bw-$server-$client-rail$3-client.log"
    set -- ib_write_bw -d "$4" -F --report_gbits -s 8388608 -n 5000 "--use_cuda=$5" -p "$port"
    if [ "$dry" = yes ]; then
        echo "$client: $* $server"
        return 0
    fi
    note "$from" perftest "$server"
    note "$to" perftest "$client"
    echo "$*" >"$part/$from"
    echo "$* $server" >"$part/$to"
    serving='' asking=''
    trap 'kill $serving $asking "${!:-}" 2>/dev/null; wait; exit 143' TERM
    (on "$server" timeout 120 "$@" >>"$part/$from" 2>&1) &
    serving=$!
    sleep "${ASBUILT_SERVER_WAIT:-3}"
    (on "$client" timeout 120 "$@" "$server" >>"$part/$to" 2>&1) &
    asking=$!
    worked=0
    wait "$asking" || worked=1
    wait "$serving" || worked=1
    [ "$worked" -eq 0 ] || say "failed: $to"
    return "$worked"
}

one_pair() { # A B
    worse=0
    a=$1 b=$2
    for rail in $rails; do
        device=${rail#*:} gpu=${rail##*:}
        device=${device%:*}
        write_bw "$a" "$b" "${rail%%:*}-$device" "$device" "$gpu" "$((18515 + ${rail%%:*}))" || worse=1
        write_bw "$b" "$a" "${rail%%:*}-$device" "$device" "$gpu" "$((18615 + ${rail%%:*}))" || worse=1
    done
    printf '%s\n%s\n' "$a" "$b" >"$scratch/pair-$a-$b.txt"
    nccl "pair-$a-$b-all_reduce.log" all_reduce "$scratch/pair-$a-$b.txt" "$gpus" "$hca" || worse=1
    return "$worse"
}

begin "$@"
count=$(wc -l <"$hosts" | tr -d ' ')
last=$((count - 1 + count % 2))
first=1
case $rounds in
'') ;;
*[!0-9-]* | -* | *- | *-*-*) die 2 "-r wants FIRST-LAST" ;;
*) first=${rounds%-*} && last=${rounds#*-} ;;
esac
[ "$first" -ge 1 ] && [ "$last" -le "$((count - 1 + count % 2))" ] || die 2 "there are rounds 1 to $((count - 1 + count % 2))"
round=$first
while [ "$round" -le "$last" ]; do
    number=$(printf '%05d' "$round")
    open "$results/round-$number"
    meetings "$((round - 1))" >"$scratch/round"
    [ "$dry" = yes ] && echo "round $round"
    while read -r a b; do
        if [ "$dry" = yes ]; then echo "pair $a $b"; else start one_pair "$a" "$b" </dev/null; fi
    done <"$scratch/round"
    finish
    shut
    round=$((round + 1))
done
end
"""

RAIL = r"""
stage=rail
mnnvl=no
. "$here/lib.sh"
begin "$@"
open "$results"
for rail in $rails; do
    device=${rail#*:} gpu=${rail##*:}
    device=${device%:*}
    start nccl "rail${rail%%:*}-$device-all_reduce.log" all_reduce "$hosts" 1 "=$device" "$gpu"
    finish
done
end
"""

GROUP = r"""
stage=@STAGE@
mnnvl=yes
. "$here/lib.sh"
begin "$@"
open "$results"
@DOMAINS@for collective in @COLLECTIVES@; do
    start nccl "@STAGE@-$collective.log" "$collective" "$hosts" "$gpus" "$hca"
    finish
done
end
"""

#: Before a row where NVLink spans nodes: its domains, which share no node, all at the same time.
DOMAINS = r"""if [ "$nvlink" = domain ]; then
    awk -F '\t' 'NR == FNR { domain[$1] = $2; next } ($1 in domain) { print $1 > (folder "/domain-" domain[$1] ".txt") }' \
        folder="$scratch" "$here/hosts/domains.tsv" "$hosts"
    for collective in @COLLECTIVES@; do
        for list in "$scratch"/domain-*.txt; do
            at=${list##*/}
            start nccl "${at%.txt}-$collective.log" "$collective" "$list" "$gpus" "$hca"
        done
        finish
    done
fi
"""
