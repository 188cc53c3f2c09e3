"""The POSIX shell around the questions of the capture set: what runs one command with a limit, and what packs the answers.

Plain POSIX (dash, busybox, bash): no arrays, no `local`, no `[[`. A command that cannot even be killed (a process waiting for
its device in the kernel) must not hold the script: nothing waits for a command itself, only for the file in which its exit
status appears, woken by a clock of one second.
"""

from __future__ import annotations

#: Before the questions. ``@PLAN@`` is the short hash, ``@COUNT@`` the number of questions, the ``@…@`` flags are yes or no.
HEAD = r"""
# Asks this machine what it is: read-only commands with a limit each, into one folder and one archive.
# It starts no service, loads no module, writes nothing but that folder. As root it can ask all, else it says what is left out.
set -u
umask 077
LC_ALL=C
export LC_ALL
PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
plan=@PLAN@
has_nvlink=@NVLINK@
has_domain=@DOMAIN@
# Where the script itself looks for devices: the root of the machine. Rehearsals on one machine name another.
root=${ASBUILT_ROOT:-}
usage='usage: sh capture.sh [-n NODE] [-d DIR] [-o]
  -n NODE  the name of this machine in the plan (default: its host name up to the first dot)
  -d DIR   put NODE.tar.gz and the folder NODE into DIR (default: a new folder of its own)
  -o       print the archive as text on standard output and leave nothing behind'

die() {
    printf 'capture: %s\n' "$1" >&2
    exit 2
}

name=
folder=
stream=no
while getopts n:d:oh option; do
    case $option in
    n) name=$OPTARG ;;
    d) folder=$OPTARG ;;
    o) stream=yes ;;
    h) printf '%s\n' "$usage" && exit 0 ;;
    *) printf '%s\n' "$usage" >&2 && exit 2 ;;
    esac
done
if [ -z "$name" ]; then
    name=$(uname -n)
    name=${name%%.*}
fi
case $name in
'' | [!A-Za-z0-9]* | *[!A-Za-z0-9._-]*) die "this is no name of a machine; give one with -n" ;;
esac
made=
if [ -z "$folder" ]; then
    made=$(mktemp -d "${TMPDIR:-/tmp}/asbuilt-XXXXXX" 2>/dev/null) || made=${TMPDIR:-/tmp}/asbuilt-$$
    [ -d "$made" ] || mkdir "$made" || die "no folder could be made in ${TMPDIR:-/tmp}"
    folder=$made
else
    [ -d "$folder" ] || mkdir -- "$folder" || die "the folder could not be made"
    case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
fi
out=$folder/$name
[ ! -e "$out" ] && [ ! -e "$out.tar.gz" ] && [ ! -e "$out.tar" ] || die "$out is there already; nothing is overwritten"
mkdir -- "$out" || die "$out could not be made"
status=$folder/.status-$$

# A clock of one second for limits; it ends with the script.
main=$$
ticks=0
ticker=
trap 'ticks=$((ticks + 1))' USR1
(while sleep 1 && kill -USR1 "$main"; do :; done) </dev/null >/dev/null 2>&1 &
ticker=$!

leave() {
    kill "$ticker" 2>/dev/null
    rm -f -- "$status"
    if [ "$stream" = yes ]; then
        rm -rf -- "$out" "$out.tar.gz" "$out.tar"
        [ -z "$made" ] || rm -rf -- "$made"
    fi
}
trap leave EXIT
trap 'exit 130' HUP INT TERM

limiter=
if timeout -s KILL 5 true 2>/dev/null; then limiter=yes; fi
is_root=no
if [ "$(id -u)" = 0 ]; then is_root=yes; fi

# Hundredths of a second since boot into $now. A read that the clock interrupts is read again.
now=0
uptime_now() {
    uptime_text=
    read -r uptime_text uptime_idle 2>/dev/null </proc/uptime || read -r uptime_text uptime_idle 2>/dev/null </proc/uptime
    case $uptime_text in
    [1-9]*.[0-9][0-9]) now=${uptime_text%.*}${uptime_text#*.} ;;
    *) now=$(date +%s)00 ;;
    esac
}

# The processes whose parent is $1.
children() {
    for entry in /proc/[0-9]*/stat; do
        stat_line=
        read -r stat_line 2>/dev/null <"$entry" || continue
        # shellcheck disable=SC2086
        set -- "$1" ${stat_line##*)}
        if [ "${3:-}" = "$1" ]; then
            entry=${entry#/proc/}
            printf '%s\n' "${entry%/stat}"
        fi
    done
}

# Kill process $1 and all below it.
end_family() {
    family=$1
    young=$1
    while [ -n "$young" ]; do
        next=
        for parent in $young; do
            for child in $(children "$parent"); do next="$next $child"; done
        done
        family="$family $next"
        young=$next
    done
    for member in $family; do kill -KILL "$member" 2>/dev/null; done
}

# Run shell text $1 for at most $2 seconds, its words onto the end of file $3. Sets $code and $hung (yes or no).
run_limited() {
    rm -f -- "$status"
    hung=no
    uptime_now
    run_began=$now
    (
        ulimit -f 131072
        if [ -n "$limiter" ]; then
            timeout -s KILL "$2" sh -c "$1" >>"$3" 2>&1 </dev/null
        else
            sh -c "$1" >>"$3" 2>&1 </dev/null
        fi
        echo "$?" >"$status"
    ) 2>/dev/null &
    job=$!
    first_tick=$ticks
    most_ticks=$2
    if [ -n "$limiter" ]; then most_ticks=$((most_ticks + 3)); fi
    while [ ! -s "$status" ]; do
        wait "$job"
        if [ -s "$status" ] || ! kill -0 "$job" 2>/dev/null; then break; fi
        if [ $((ticks - first_tick)) -gt "$most_ticks" ]; then
            end_family "$job"
            hung=yes
            break
        fi
    done
    code=137
    if [ "$hung" = no ] && [ -s "$status" ]; then read -r code <"$status" || read -r code <"$status"; fi
    uptime_now
    run_took=$((now - run_began))
    if [ "$code" = 137 ] && [ "$run_took" -ge $(($2 * 100)) ]; then hung=yes; fi
    if [ "$hung" = yes ]; then code=124; fi
}

# PCI addresses of network cards ($1 = nic) or GPUs ($1 = gpu), without virtual functions.
devices() {
    for device in "$root"/sys/bus/pci/devices/*; do
        vendor=
        class=
        read -r vendor 2>/dev/null <"$device/vendor" || continue
        read -r class 2>/dev/null <"$device/class" || continue
        if [ -e "$device/physfn" ]; then continue; fi
        case $1:$vendor:$class in
        nic:0x15b3:0x02* | gpu:0x10de:0x030*) ;;
        *) continue ;;
        esac
        device=${device##*/}
        case $device in *[!0-9a-f:.]*) continue ;; esac
        printf '%s\n' "$device"
    done
}

# Why a question cannot be asked here, into $outcome ("" when it can): program $1, needs root $2, where $3, module $4.
prepare() {
    outcome=
    case $3 in
    nvlink) if [ "$has_nvlink" = no ]; then outcome=skipped; fi ;;
    domain) if [ "$has_domain" = no ]; then outcome=skipped; fi ;;
    bmc)
        if [ ! -e "$root/dev/ipmi0" ] && [ ! -e "$root/dev/ipmi/0" ] && [ ! -e "$root/dev/ipmidev/0" ]; then
            outcome=skipped
        fi
        ;;
    '') ;;
    *) if [ "$(uname -m)" != "$3" ]; then outcome=skipped; fi ;;
    esac
    if [ -n "$outcome" ]; then return; fi
    if [ -n "$1" ] && ! command -v "$1" >/dev/null 2>&1; then
        outcome=absent
    elif [ "$2" = 1 ] && [ "$is_root" = no ]; then
        outcome=needs_root
    elif [ -n "$4" ] && { [ ! -e "$root/sys/module/$4" ] || [ ! -e "$root/dev/${4}ctl" ]; }; then
        outcome=skipped # the program itself would load the module or make its device files
    fi
}

# One question: id, program, needs root (0 or 1), limit in seconds, devices, where, module, good exit statuses, shell text.
ask() {
    prepare "$2" "$3" "$6" "$7"
    started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    asked_code=-
    took=0
    if [ -z "$outcome" ] && [ -n "$5" ]; then
        outcome=skipped # no such device
        for address in $(devices "$5"); do
            text=
            rest=$9
            while [ "${rest#*"{address}"}" != "$rest" ]; do
                text=$text${rest%%"{address}"*}$address
                rest=${rest#*"{address}"}
            done
            text=$text$rest
            printf '$ %s\n' "$text" >>"$out/$1.txt"
            one "$text" "$4" "$8" "$out/$1.txt"
        done
    elif [ -z "$outcome" ]; then
        : >"$out/$1.txt"
        one "$9" "$4" "$8" "$out/$1.txt"
    fi
    hundredths=$((took % 100))
    case $hundredths in ?) hundredths=0$hundredths ;; esac
    printf '%s\t%s\t%s.%s\t%s\t%s\t%s\n' "$1" "$asked_code" $((took / 100)) "$hundredths" "$started" "$outcome" "$9" \
        >>"$out/manifest.tsv"
    case $outcome in
    ran) count_ran=$((count_ran + 1)) ;;
    *) others="$others $1=$outcome" ;;
    esac
}

# Run one command; the worst of several ends decides.
one() {
    run_limited "$1" "$2" "$4"
    took=$((took + run_took))
    if [ "$hung" = yes ]; then
        ended=timed_out
    else
        case " $3 " in
        *" $code "*) ended=ran ;;
        *) ended=failed ;;
        esac
    fi
    case $outcome:$ended in
    timed_out:* | failed:ran) return ;;
    esac
    outcome=$ended
    asked_code=$code
}

count_ran=0
others=
tab=$(printf '\t')
printf '%s plan %s node %s\n' "@MARK@" "$plan" "$name" >"$out/manifest.tsv"
printf '%s\n' "@COLUMNS@" >>"$out/manifest.tsv"
"""

#: After the questions.
TAIL = r"""
kill "$ticker" 2>/dev/null
trap '' USR1
archive=
# The manifest first: an archive that is cut still says whose it is.
pack() {
    (cd -- "$folder" && tar -cf - "$name/manifest.tsv" "$name"/*.txt)
}
if command -v tar >/dev/null 2>&1; then
    if command -v gzip >/dev/null 2>&1; then
        archive=$name.tar.gz
        pack 2>/dev/null | gzip -c >"$folder/$archive" || archive=
    else
        archive=$name.tar
        pack >"$folder/$archive" 2>/dev/null || archive=
    fi
fi
printf 'capture: %s: %s of @COUNT@ ran%s\n' "$name" "$count_ran" "${others:+;$others}" >&2
if [ "$stream" = no ]; then
    printf '%s\n' "$folder/${archive:-$name}"
    exit 0
fi
[ -n "$archive" ] || die "no archive could be packed: tar is missing"
printf '%s %s\n' "@BEGIN@" "$archive"
if command -v base64 >/dev/null 2>&1; then
    base64 <"$folder/$archive"
elif command -v openssl >/dev/null 2>&1; then
    openssl base64 <"$folder/$archive"
else
    die "no program that writes base64: run without -o and carry the archive"
fi
printf '%s\n' "@END@"
"""
