#!/bin/sh
# Writes the lock files again from pyproject.toml, every file for every platform and with hashes.
set -eu
cd "$(dirname "$0")/.."

# uv lives in a throwaway environment: nothing but this script needs it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

lock() {
    file=$1
    shift
    echo "lock: $file"
    "$work/bin/uv" pip compile --quiet --universal --python-version 3.11 \
        --generate-hashes --no-annotate --no-header --output-file "$file" "$@"
}

echo "lock: fetching uv"
"${PYTHON:-python3}" -m venv "$work"
"$work/bin/python" -m pip install -qq --no-input --disable-pip-version-check uv
lock locks/runtime.txt pyproject.toml "$@"
# Extras, with the versions that the service has without them.
lock locks/otel.txt pyproject.toml --extra otel --constraint locks/runtime.txt "$@"
lock locks/excel.txt pyproject.toml --extra excel --constraint locks/runtime.txt "$@"
lock locks/facts.txt pyproject.toml --extra facts --constraint locks/runtime.txt "$@"
lock locks/mcp.txt pyproject.toml --extra mcp --constraint locks/runtime.txt "$@"
lock locks/dev.txt pyproject.toml --group dev "$@"
lock locks/bench.txt pyproject.toml --group bench "$@"
lock locks/build.txt --group build "$@"
# The site is made from pages alone, without what the service needs.
lock locks/docs.txt --group docs "$@"
lock locks/generators.txt --group generators "$@"
