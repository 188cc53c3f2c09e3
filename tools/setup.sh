#!/bin/sh
# Sets up one virtual environment from hashed requirement files. Usage: PYTHON=python3 VENV=.venv sh tools/setup.sh GROUP...
# As root it also installs the Debian packages that the real-component and browser tests and the demo use.
set -eu

PYTHON=${PYTHON:-python3}
VENV=${VENV:-.venv}
PACKAGES="ibsim-utils libumad2sim0 infiniband-diags opensm ibutils lldpd iproute2 openssh-server chromium fonts-dejavu-core"
PACKAGES="$PACKAGES munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins"

say() { printf 'setup: %s\n' "$*"; }

"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    say "asbuilt needs Python 3.11 or newer; $("$PYTHON" --version 2>&1) was found. Set PYTHON=python3.11 (or newer)."
    exit 2
}

missing=""
if [ "${ASBUILT_APT:-yes}" = yes ] && command -v dpkg-query >/dev/null 2>&1; then
    for package in $PACKAGES; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    done
fi
needs_venv=""
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || needs_venv="python3-venv"
if [ -n "$missing$needs_venv" ]; then
    if [ "$(id -u)" = 0 ]; then
        say "installing Debian packages:$missing $needs_venv"
        export DEBIAN_FRONTEND=noninteractive
        # The tests start what they need themselves; an installed daemon (lldpd, sshd) must not start on this machine.
        guard=/usr/sbin/policy-rc.d
        if [ ! -e "$guard" ]; then
            printf '#!/bin/sh\nexit 101\n' >"$guard"
            chmod 755 "$guard"
            trap 'rm -f "$guard"' EXIT INT TERM
        fi
        # shellcheck disable=SC2086
        apt-get install -y -q --no-install-recommends $missing $needs_venv >/dev/null 2>&1 || {
            apt-get update -q >/dev/null
            # shellcheck disable=SC2086
            apt-get install -y -q --no-install-recommends $missing $needs_venv >/dev/null
        }
    elif [ -n "$needs_venv" ]; then
        say "Python's venv module is missing; ask the administrator for: $needs_venv"
        exit 2
    else
        say "not root, so these Debian packages stay absent:$missing"
        say "the product and the demo work without them (embedded twin); real-component and browser tests say what is missing"
    fi
fi

[ -x "$VENV/bin/python" ] || {
    say "creating $VENV with $("$PYTHON" --version 2>&1)"
    "$PYTHON" -m venv "$VENV"
}
for group in "$@"; do set -- "$@" "-r" "requirements/$group.txt"; shift; done
say "installing locked Python packages into $VENV (hashes checked)"
"$VENV/bin/python" -m pip install -q --disable-pip-version-check --require-hashes "$@"
if [ "$VENV" = .venv ]; then
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . 2>/dev/null ||
        "$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-deps -e .
    "$VENV/bin/python" tools/warm_kernels.py || say "kernels not warmed; the first large call will be slower"
else
    echo "$(pwd)/src" > "$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/asbuilt-source.pth"
fi
say "done"
