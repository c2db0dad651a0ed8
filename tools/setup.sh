#!/bin/sh
# Makes a virtual environment hold exactly what lock files name: tools/setup.sh VENV "LOCK ..." [project]
# With the word `project` the repository itself is installed too, editable.
set -eu
cd "$(dirname "$0")/.."

venv=$1
lock=$2
project=${3:-}
# Written last, removed first: without it the environment is unfinished and is made anew.
stamp=$venv/.made-from

main() {
    one_at_a_time
    if is_current; then
        say "up to date"
        return
    fi
    make_work_folder
    if is_usable; then
        rm -f "$stamp"
        install_lock
        remove_leftovers
    else
        make_venv
        install_lock
    fi
    [ -z "$project" ] || install_project
    fingerprint >"$stamp"
    say "ready"
}

# Two set-ups at once (say `make check` and `make test`) would write into the same folder.
one_at_a_time() {
    if command -v flock >/dev/null; then
        exec 9<tools/setup.sh
        flock 9
    fi
}

is_current() {
    [ "$(cat "$stamp" 2>/dev/null)" = "$(fingerprint)" ] && is_usable \
        && { [ -z "$project" ] || [ -x "$venv/bin/lootkeep" ]; }
}

# False after the folder was moved or copied (its scripts name the old path) or its Python went away.
is_usable() {
    [ "$(head -n 1 "$stamp" 2>/dev/null)" = "$(pwd -P)/$venv" ] && "$venv/bin/python" -c 'import pip' 2>/dev/null
}

fingerprint() {
    echo "$(pwd -P)/$venv"
    # shellcheck disable=SC2086  several files
    cksum $lock pyproject.toml tools/setup.sh
}

make_work_folder() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

make_venv() {
    python=$(find_python)
    "$python" -c 'import ensurepip, venv' 2>/dev/null || install_venv_package
    say "making it with $("$python" --version) from $python"
    rm -rf "$venv"
    quietly "$python" -m venv "$venv"
}

# The interpreter behind any active environment, because that environment may be the one to be replaced.
find_python() {
    for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        "$name" -c 'import sys; sys.version_info >= (3, 11) or sys.exit(1); print(sys._base_executable)' \
            2>/dev/null && return
    done
    fail "Python 3.11 or newer is needed and was not found: install it (on Debian: apt-get install python3-venv)" \
        "or name it, as in 'make setup PYTHON=/path/to/python3'."
}

# Debian keeps what `python3 -m venv` needs in a package of its own.
install_venv_package() {
    package=$(basename "$python")-venv
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "$python cannot make virtual environments: install the package $package as root, then try again."
    fi
    say "installing the package $package"
    quietly apt-get update
    quietly env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y \
        --no-install-recommends "$package"
}

install_lock() {
    say "installing $lock"
    # shellcheck disable=SC2046  several files
    pip install --require-hashes $(printf -- '-r %s ' $lock) || fail "pip could not install $lock; is the package index within reach?"
}

# A package that has left the lock must not go on working here and fail everywhere else.
remove_leftovers() {
    pip freeze --exclude-editable | sed 's/[=@ ].*//' | plain_names >"$work/installed"
    # shellcheck disable=SC2086  several files
    sed -n 's/^\([A-Za-z0-9._-]*\)==.*/\1/p' $lock | plain_names >"$work/locked"
    comm -23 "$work/installed" "$work/locked" >"$work/leftovers"
    if [ -s "$work/leftovers" ]; then
        say "removing $(paste -s -d ' ' "$work/leftovers")"
        pip uninstall --yes -r "$work/leftovers"
    fi
}

plain_names() {
    tr '[:upper:]' '[:lower:]' | sed 'y/_./--/' | sort -u
}

# The lock holds the build tools, so nothing unlocked is fetched here.
install_project() {
    say "installing lootkeep"
    pip install --no-deps --no-build-isolation -e .
    # As pip does for packages: otherwise the first start does it, or every start where Python may write none.
    "$venv/bin/python" -m compileall -q lootkeep
}

pip() {
    command=$1
    shift
    "$venv/bin/python" -m pip "$command" -qq --no-input --disable-pip-version-check "$@"
}

quietly() {
    "$@" >"$work/output" 2>&1 </dev/null || {
        cat "$work/output" >&2
        fail "this failed: $*"
    }
}

say() {
    echo "$venv: $*"
}

fail() {
    say "$@" >&2
    exit 1
}

main
