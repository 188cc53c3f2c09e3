"""What every script of the active tests has in common, in POSIX shell (dash, bash): proof of the procedure, lock, guard.

No arrays, no ``local``, no ``[[``. Words reach another machine only through ``quoted`` (ssh joins its words into one line that
a shell reads again) or as arguments of ``srun``. Nothing that may last runs in the foreground: a shell answers a signal only
between commands, but at once while it waits.
"""

from __future__ import annotations

#: The first lines of every script. ``@NAME@`` is its file, ``@ABOUT@`` one line, ``@SBATCH@`` its lines for Slurm.
HEAD = r"""#!/bin/sh
# asbuilt tests v1 plan @PLAN@: @NAME@: @ABOUT@
@SBATCH@set -u
LC_ALL=C
export LC_ALL
name=@NAME@
# sbatch runs a copy from its spool folder; the folder that it was submitted from holds the rest.
here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 3
[ -f "$here/SHA256SUMS" ] || here=${ASBUILT_TESTS:-${SLURM_SUBMIT_DIR:-$here}}
if ! (cd -- "$here" && grep -q -F -x -- "$(sha256sum <"$0" | cut -d ' ' -f 1)  $name" SHA256SUMS \
    && sha256sum -c SHA256SUMS >/dev/null 2>&1); then
    printf '%s: refused: this is not the procedure that was exported\n' "$name" >&2
    (cd -- "$here" && sha256sum -c SHA256SUMS 2>&1 | grep -v ': OK$' >&2)
    exit 3
fi
procedure=$(sha256sum <"$here/SHA256SUMS" | cut -d ' ' -f 1)
. "$here/settings.sh"
"""

#: ``guard.sh``: runs on the node itself. One owner at a time; nothing is tested beside a job.
GUARD = r"""
usage='usage: sh guard.sh take NODE OWNER JOB TOKEN [BREAK] | release NODE TOKEN | hold OWNER JOB TOKEN FOLDER [BREAK] | show
  One owner per node: the lock is a folder below ASBUILT_LOCKS (default /var/lock). BREAK is the name of the owner whose lock is
  taken away; without it no lock ever is.'
lock=${ASBUILT_LOCKS:-/var/lock}/asbuilt-tests

no() {
    printf 'refused: %s\n' "$1" >&2
    exit 3
}

told() { # KEY: what the lock says
    sed -n "s/^$1 //p" "$lock/owner" 2>/dev/null
}

held() { # who made the folder a moment ago may still be writing into it
    waits=3
    while [ -z "$(told token)" ] && [ "$waits" -gt 0 ]; do
        sleep 1
        waits=$((waits - 1))
    done
    if [ -z "$(told owner)" ]; then
        printf 'held, and %s/owner does not say by whom' "$lock"
    else
        printf 'held by %s, job %s, since %s' "$(told owner)" "$(told job)" "$(told time)"
    fi
}

free() { # NODE JOB: no job of others on the node, no process on its GPUs; what cannot be asked is not free
    if command -v squeue >/dev/null 2>&1; then
        jobs=$(timeout 60 squeue -h -w "$1" -t RUNNING,COMPLETING,SUSPENDED -o '%A %u') || no "$1: squeue does not answer"
        jobs=$(printf '%s\n' "$jobs" | awk -v own="$2" 'NF && $1 != own {print "job " $1 " of " $2}')
        [ -z "$jobs" ] || no "$1 runs $(printf '%s' "$jobs" | tr '\n' ',')"
    fi
    busy=$(timeout 60 nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader 2>/dev/null) \
        || no "$1: nvidia-smi does not answer"
    [ -z "$busy" ] || no "$1 has processes on its GPUs: $(printf '%s' "$busy" | tr '\n' ';')"
}

take() { # NODE OWNER JOB TOKEN [BREAK]
    if [ -n "${5:-}" ] && [ -d "$lock" ]; then
        [ "$5" = "$(told owner)" ] || no "$1 is $(held): that is not $5"
        # Renamed first: of two who break it one gets it. Who took it since the question keeps it.
        mv -- "$lock" "$lock.broken-$4" 2>/dev/null || no "$1: somebody else breaks the lock now"
        if [ "$5" != "$(sed -n 's/^owner //p' "$lock.broken-$4/owner" 2>/dev/null)" ]; then
            mv -- "$lock.broken-$4" "$lock"
            no "$1 is $(held): that is not $5"
        fi
        rm -rf -- "$lock.broken-$4"
    fi
    mkdir -- "$lock" 2>/dev/null || {
        [ -d "$lock" ] || no "$1: $lock cannot be made"
        no "$1 is $(held)"
    }
    printf 'owner %s\njob %s\ntime %s\ntoken %s\nprocedure %s\n' "$2" "$3" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$4" "$procedure" \
        >"$lock/owner" || no "$1: $lock cannot be written"
    (free "$1" "$3") || {
        rm -rf -- "$lock"
        exit 3
    }
}

release() { # NODE TOKEN: only one's own; what still runs under it is ended first
    [ -d "$lock" ] && [ "$(told token)" = "$2" ] || return 0
    pid=$(cat "$lock/pid" 2>/dev/null)
    case $pid in '' | *[!0-9]*) pid= ;; esac
    if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then
        kill "$pid" 2>/dev/null
        left=20
        while kill -0 "$pid" 2>/dev/null && [ "$left" -gt 0 ]; do
            sleep 1
            left=$((left - 1))
        done
        kill -0 "$pid" 2>/dev/null && no "$1: process $pid of the test does not end: the lock stays"
    fi
    rm -rf -- "$lock"
}

hold() { # OWNER JOB TOKEN FOLDER [BREAK]: a step of Slurm that holds its node until FOLDER says release, or Slurm ends it
    node=$SLURMD_NODENAME token=$3
    trap 'release "$node" "$token"; exit 0' HUP INT TERM
    if ! (take "$node" "$1" "$2" "$3" "${5:-}") 2>"$4/$node.said"; then
        : >"$4/$node.no"
        exit 3
    fi
    : >"$4/$node.taken"
    while [ -d "$4" ] && [ ! -e "$4/release" ]; do
        sleep 1 &
        wait $!
    done
    release "$node" "$token"
}

case ${1:-}-$# in
hold-[56]) shift && hold "$@" ;;
take-[56]) shift && take "$@" ;;
release-3) release "$2" "$3" ;;
show-1) if [ -d "$lock" ]; then printf '%s\n' "$(held)"; else printf 'free\n'; fi ;;
*) printf '%s\n' "$usage" >&2 && exit 2 ;;
esac
"""

#: ``lib.sh``: read by the stages. It ends with ``begin``, which leaves every node of the list locked and the results open.
LIBRARY = r"""# asbuilt tests v1 plan @PLAN@: what the stages share; read by them after they proved it
usage="usage: sh $name [-f HOSTS] [-l srun|mpirun] [-o OWNER] [-j N] [-r FIRST-LAST] [-n] [--break OWNER]
  -f HOSTS       list of nodes, one a line (default: hosts/all.txt; a row is given: -f hosts/row-A.txt)
  -l LAUNCHER    srun inside a job of Slurm, else mpirun and ssh (default: by SLURM_JOB_ID)
  -o OWNER       who holds the nodes (default: the user's name)
  -j N           nodes or pairs at a time (default 64)
  -r FIRST-LAST  rounds of the tournament of pairs (default: all)
  -n             print what would run, touch nothing
  --break OWNER  take away the locks of this owner"
scratch=
holder=
kids=
token=
part=
failed=0

say() {
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" | tee -a "${log:-/dev/null}" >&2
}

die() { # STATUS TEXT
    printf '%s: %s\n' "$name" "$2" >&2
    exit "$1"
}

quoted() { # WORD...: the words as a shell reads them back
    gap=
    for word; do
        printf '%s' "$gap"
        case $word in
        '' | *[!A-Za-z0-9_./:=,@%+-]*) printf "'%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")" ;;
        *) printf '%s' "$word" ;;
        esac
        gap=' '
    done
}

alone() { # WORD...: a command that ends when this shell is told to
    trap 'kill "${!:-}" 2>/dev/null; wait; exit 143' TERM # $! is set before any variable could be
    "$@" </dev/null &
    child=$!
    wait "$child"
}

on() { # NODE WORD...
    to=$1
    shift
    if [ "$launcher" = srun ]; then
        set -- srun --overlap -N 1 -n 1 -w "$to" "$@"
    else
        set -- ssh -o BatchMode=yes -o ConnectTimeout=15 -- "$to" "$(quoted "$@")"
    fi
    alone "$@"
}

start() { # WORD...: in the background, at most $most at a time
    (trap - EXIT HUP INT && "$@") &
    kids="$kids $!"
    # shellcheck disable=SC2086
    set -- $kids
    [ $# -lt "$most" ] || finish
}

finish() { # wait for all that was started
    for kid in $kids; do
        wait "$kid" || failed=1
    done
    kids=
}

listed() { # FILE: the list is names of hosts, each once, and nothing else
    [ -s "$1" ] || die 2 "$1 holds no nodes"
    if grep -q -v '^[A-Za-z0-9][A-Za-z0-9._-]*$' "$1"; then die 2 "$1 holds what is no host name"; fi
    [ -z "$(sort "$1" | uniq -d)" ] || die 2 "$1 names a node twice"
}

one_taken() { # NODE
    on "$1" env "ASBUILT_LOCKS=$locks" sh "$here/guard.sh" take "$1" "$owner" "$job" "$token" ${broken:+"$broken"} \
        >"$scratch/$1.said" 2>&1 && : >"$scratch/$1.taken"
}

one_released() { # NODE
    on "$1" env "ASBUILT_LOCKS=$locks" sh "$here/guard.sh" release "$1" "$token" >>"$scratch/$1.said" 2>&1 \
        || say "$1 is still locked: $(tail -n 1 "$scratch/$1.said")"
}

hold() { # one step takes the locks of all nodes and gives them back by itself: of a cancelled job no other step would start
    count=$(wc -l <"$hosts" | tr -d ' ')
    set -- sh "$here/guard.sh" hold "$owner" "$job" "$token" "$scratch" ${broken:+"$broken"}
    srun --overlap -N "$count" -n "$count" -W 0 --kill-on-bad-exit=0 -w "$hosts" "$@" </dev/null >"$scratch/hold.said" 2>&1 &
    holder=$!
    while kill -0 "$holder" 2>/dev/null && [ "$(find "$scratch" -name '*.taken' -o -name '*.no' | wc -l)" -lt "$count" ]; do
        sleep 1 &
        wait $!
    done
}

leave() { # STATUS: end what runs, give every node back, close the results
    trap '' HUP INT TERM PIPE
    trap - EXIT
    for kid in $kids; do kill "$kid" 2>/dev/null; done
    for kid in $kids; do wait "$kid"; done
    kids=
    if [ -n "$holder" ]; then
        : >"$scratch/release"
        wait "$holder"
        grep 'the lock stays' "$scratch/hold.said" >&2
    elif [ -n "$token" ]; then
        while read -r one; do start one_released "$one" </dev/null; done <"$hosts"
        finish
    fi
    [ -z "$part" ] || shut
    [ -z "$scratch" ] || rm -rf -- "$scratch"
    exit "$1"
}

open() { # FOLDER: results go there
    part=$1
    mkdir -p -- "$part" || die 3 "$part cannot be made"
    : >"$scratch/listed"
}

note() { # FILE TOOL SUBJECT: one capture more
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$scratch/listed"
}

shut() { # capture.json of what is there
    sort "$scratch/listed" | while IFS="$tab" read -r file tool subject; do
        [ -f "$part/$file" ] && printf '  "%s": {"tool": "%s", "subject": "%s"}\n' "$file" "$tool" "$subject"
    done | sed '$!s/$/,/' >"$scratch/files"
    {
        printf '{"schema": "capture/v1", "stage": "%s", "time": "%s", "plan": "%s",\n' "$stage" "$began" "$plan"
        printf ' "procedure": "%s", "hosts": "%s",\n "files": {\n' "$procedure" "$sum"
        cat "$scratch/files"
        printf ' }}\n'
    } >"$part/.capture.json.part" && mv -- "$part/.capture.json.part" "$part/capture.json"
    # A folder without one capture says nothing: without names a reader would take every file in it for one.
    [ -s "$scratch/files" ] || rm -f -- "$part/capture.json"
    part=
}

nccl() { # FILE COLLECTIVE LIST PER_NODE HCA [GPU]: the launch line and its log
    file=$1 list=$3 each=$4
    count=$(wc -l <"$list" | tr -d ' ')
    test="$2_perf"
    NCCL_IB_HCA=$5
    NCCL_DEBUG=INFO
    NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH
    export NCCL_IB_HCA NCCL_DEBUG NCCL_DEBUG_SUBSYS
    if [ $# -gt 5 ]; then
        CUDA_VISIBLE_DEVICES=$6
        export CUDA_VISIBLE_DEVICES
        passed=CUDA_VISIBLE_DEVICES
    else
        passed=
    fi
    if [ "$mnnvl" = no ]; then
        NCCL_MNNVL_ENABLE=0
        export NCCL_MNNVL_ENABLE
        passed="$passed NCCL_MNNVL_ENABLE"
    fi
    set -- "$test" -b 512M -e 8G -f 2 -g 1 -c 1 -n 20 -w 5
    if [ "$launcher" = srun ]; then
        set -- srun --overlap --export=ALL -N "$count" -n "$((count * each))" --ntasks-per-node="$each" -w "$list" "$@"
    else
        sed "s/\$/ slots=$each/" "$list" >"$scratch/$file.slots"
        for variable in NCCL_IB_HCA NCCL_DEBUG NCCL_DEBUG_SUBSYS $passed; do set -- -x "$variable" "$@"; done
        set -- mpirun -np "$((count * each))" --map-by "ppr:$each:node" --hostfile "$scratch/$file.slots" "$@"
    fi
    note "$file" nccl-tests ''
    {
        printf '# asbuilt procedure %s hosts %s\n' "$procedure" "$sum"
        quoted "$@"
        echo
    } >"$part/$file"
    if [ "$dry" = yes ]; then
        printf '%s\n' "$(quoted "$@")" # in one piece: others write at the same time
        return 0
    fi
    alone "$@" >>"$part/$file" 2>&1 || { say "failed: $file" && return 1; }
}

begin() { # the words of the command line; leaves the nodes locked
    hosts=$here/hosts/all.txt launcher='' owner=$(id -un) most=64 rounds='' dry=no broken=''
    [ "$stage" != row ] || hosts=
    locks=${ASBUILT_LOCKS:-/var/lock}
    tab=$(printf '\t')
    while [ $# -gt 0 ]; do
        case $1 in
        -n) dry=yes && shift && continue ;;
        -h) printf '%s\n' "$usage" && exit 0 ;;
        esac
        [ $# -gt 1 ] || { printf '%s\n' "$usage" >&2 && exit 2; }
        case $1 in
        -f) hosts=$2 ;;
        -l) launcher=$2 ;;
        -o) owner=$2 ;;
        -j) most=$2 ;;
        -r) rounds=$2 ;;
        --break) broken=$2 ;;
        *) printf '%s\n' "$usage" >&2 && exit 2 ;;
        esac
        shift 2
    done
    [ -n "$launcher" ] || { if [ -n "${SLURM_JOB_ID:-}" ]; then launcher=srun; else launcher=mpirun; fi; }
    case $launcher in srun | mpirun) ;; *) die 2 "no launcher $launcher" ;; esac
    case $most in '' | 0* | *[!0-9]*) die 2 "-j wants a number" ;; esac
    case $owner in '' | *[!A-Za-z0-9._@-]*) die 2 "an owner is letters, digits, dot, dash, underscore and @" ;; esac
    [ -n "$hosts" ] || die 2 "give the list of one row: -f hosts/row-….txt"
    case $hosts in /*) ;; *) [ -f "$hosts" ] && hosts=$PWD/$hosts || hosts=$here/$hosts ;; esac
    [ -f "$hosts" ] || die 2 "there is no list $hosts"
    listed "$hosts"
    sum=$(sha256sum <"$hosts" | cut -d ' ' -f 1)
    job=${SLURM_JOB_ID:-0}
    began=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    stamp=$(printf '%s' "$began" | tr -d ':-')-$$
    scratch=$(mktemp -d "$here/.$stage-XXXXXX") || die 3 "no scratch folder in $here"
    trap 'leave $?' EXIT
    trap 'leave 129' HUP
    trap 'leave 130' INT
    trap 'leave 141' PIPE # whoever read the messages is gone: the nodes are still given back
    trap 'leave 143' TERM
    results=$here/results/$stage/$stamp
    if [ "$dry" = yes ]; then
        results=$scratch/results
        return 0
    fi
    mkdir -p -- "$here/logs" "$results" || die 3 "no folder for results in $here"
    log=$here/logs/$stage-$stamp.log
    say "stage $stage plan $plan procedure $procedure hosts $sum owner $owner job $job launcher $launcher"
    token=$(uname -n)-$$-$stamp
    if [ "$launcher" = srun ]; then
        hold
    else
        while read -r one; do start one_taken "$one" </dev/null; done <"$hosts"
        finish
    fi
    failed=0
    while read -r one; do
        [ -f "$scratch/$one.taken" ] && continue
        why=$(tail -n 1 "$scratch/$one.said" 2>/dev/null)
        say "${why:-$one: no answer}"
        failed=1
    done <"$hosts"
    if [ "$failed" -ne 0 ]; then
        say "nothing was run: not every node is free"
        rmdir -- "$results" 2>/dev/null
        leave 3
    fi
}

end() {
    [ -z "$part" ] || shut
    [ "$dry" = yes ] || say "ended: $results"
    leave "$failed"
}
"""
