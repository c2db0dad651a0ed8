"""Builds the image of deploy/Dockerfile on a stand-in for its base: this machine, under an overlay that is thrown away.

No Docker engine is needed, only root. What differs from the real base is in `_PREPARE` and `_CLIENT`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.rules.tree import ROOT

DOCKERFILE = ROOT / "deploy/Dockerfile"
# The base calls it `python`, and anyone may run it; here it may be in the home of root.
_PREPARE = """
python={python}
folder=$(dirname "$python")
while [ "$folder" != / ]; do chmod a+rx "{root}$folder"; folder=$(dirname "$folder"); done
ln -sf "$python" {root}/usr/local/bin/python
"""
# PostgreSQL's client has the version of the base's Debian in its name.
_CLIENT = (re.compile(r"postgresql-client-\d+"), "postgresql-client")
_STAGE = """
mkdir -p {upper} {work} {root}
mount -t overlay overlay -o lowerdir=/,upperdir={upper},workdir={work} {root}
for folder in proc dev; do mount --rbind /$folder {root}/$folder; done
"""
# Read-only but for the two folders, which are taken from below the overlay.
_SEAL = """
for folder in data backups; do mount --bind {upper}/$folder {root}/$folder; done
mount -t tmpfs tmpfs {root}/tmp
mount -o remount,ro {root}
"""


@dataclass
class Stage:
    """One part of the file: where it is built, and what its instructions have set so far."""

    folder: Path
    workdir: str = "/"
    user: str = "0:0"
    # That of this machine, which leads to its package index, and what the file sets.
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    commands: dict[str, list[str]] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return str(self.folder / "root")

    def fill(self, text: str) -> str:
        values = {"root": self.root, "upper": self.folder / "upper", "work": self.folder / "work"}
        return text.format(**values, python=sys._base_executable)  # type: ignore[attr-defined]

    def run(self, command: str) -> str:
        """A line that runs the command inside, in the folder and as the user of the instructions before."""
        values = " ".join(shlex.quote(f"{name}={value}") for name, value in self.environment.items())
        inside = shlex.quote(f"cd {self.workdir} && {command}")
        return f"chroot --userspec={self.user} {self.root} /usr/bin/env -i {values} /bin/sh -c {inside}"


def built(folder: Path, script: str, **settings: str) -> str:
    """What a script prints that runs after the build: `inside COMMAND` runs one in the image, `healthcheck` its own."""
    lines, stage = _build(folder)
    stage.environment |= settings
    lines.append(stage.fill(_SEAL))
    commands = {name.lower(): shlex.join(command) for name, command in stage.commands.items()} | {"inside": ""}
    for name, command in commands.items():
        line = stage.run(f'exec {command} "$@"')
        lines.append(f'{name}() {{ {line} {name} "$@"; }}')
    file = folder / "build.sh"
    file.write_text("\n".join(["set -e", f"mount -t tmpfs tmpfs {folder}", *lines, script]))
    # What the script starts ends with it.
    alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    done = subprocess.run([*alone, "sh", str(file)], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def _build(folder: Path) -> tuple[list[str], Stage]:
    """The lines that build all stages, and the last one."""
    lines: list[str] = []
    stages: dict[str, Stage] = {}
    stage = Stage(folder)
    for word, argument in _instructions():
        if word == "FROM":
            name = argument.partition(" AS ")[2] or "last"
            stage = stages[name] = Stage(folder / name)
            lines += [stage.fill(_STAGE), stage.fill(_PREPARE)]
        elif word == "RUN":
            lines.append(stage.run(_CLIENT[0].sub(_CLIENT[1], argument)))
        elif word == "COPY":
            lines.append(_copy(argument, stage, stages))
        elif word == "ENV":
            for value in shlex.split(argument):
                name, _, text = value.partition("=")
                stage.environment[name] = text.replace("$PATH", stage.environment["PATH"])
        elif word == "WORKDIR":
            stage.workdir = argument
            lines.append(f"mkdir -p {stage.root}{argument}")
        elif word == "USER":
            stage.user = argument
        elif word in ("ENTRYPOINT", "CMD", "HEALTHCHECK"):
            stage.commands[word] = json.loads(argument[argument.index("[") :])
        else:
            assert word in ("EXPOSE", "STOPSIGNAL"), word
    return lines, stage


def _copy(argument: str, stage: Stage, stages: dict[str, Stage]) -> str:
    *sources, target = argument.split()
    source = f"{ROOT}/"
    if sources[0].startswith("--from="):
        source = stages[sources.pop(0).removeprefix("--from=")].root
    target = f"{stage.root}{target}" if target.startswith("/") else f"{stage.root}{stage.workdir}/{target}"
    files = " ".join(f"{source}{name}" for name in sources)
    if target.endswith("/"):
        return f"mkdir -p {target} && cp -a {files} {target}"
    return f"mkdir -p {Path(target).parent} && cp -aT {files} {target}"


def _instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    lines = (line.partition(" ") for line in text.splitlines())
    return [(word, argument.strip()) for word, _, argument in lines if word]
