"""The settings, the files and the disk of this machine."""

from __future__ import annotations

import shutil
import stat

from lootkeep.services.health.finding import Config, Finding

_GIGABYTE = 10**9
# A store of a million orders is about two gigabytes; a migration may write some tables again.
_LITTLE_SPACE = 2 * _GIGABYTE
_NO_SPACE = _GIGABYTE // 5


def settings(config: Config) -> list[Finding]:
    findings = []
    if config.environment == "production" and not config.rate_limit_per_minute:
        sentence = "The rate limit is off in production: set LOOTKEEP_RATE_LIMIT_PER_MINUTE."
        findings.append(Finding("settings", "bad", sentence))
    findings += [Finding("settings", "warning", sentence) for sentence in config.unknown_names]
    return findings or [Finding("settings", "ok", f"The settings are valid ({config.environment}).")]


def files(config: Config) -> list[Finding]:
    """Who may read an embedded database and its key. A group may be intended; everyone is a mistake."""
    path = config.sqlite_path
    if path is None or not path.exists():
        return []
    paths = (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", ".key")))
    wide = [str(path) for path in paths if path.exists() and stat.S_IMODE(path.stat().st_mode) & stat.S_IRWXO]
    if wide:
        return [Finding("files", "bad", f"Everyone on this machine can read them: run `chmod 600 {' '.join(wide)}`.")]
    return [Finding("files", "ok", "Only their owner, or a group, can read the database and its key.")]


def disk(config: Config) -> list[Finding]:
    """The free space for an embedded database; the disk of PostgreSQL is not visible from here."""
    path = config.sqlite_path
    if path is None or not path.exists():
        return []
    free = shutil.disk_usage(path.parent).free
    sentence = f"{free / _GIGABYTE:.1f} GB are free for the database."
    if free < _NO_SPACE:
        return [Finding("disk", "bad", f"{sentence} Free disk space now: without it nothing can be written.")]
    if free < _LITTLE_SPACE:
        return [Finding("disk", "warning", f"{sentence} Free disk space before it is full.")]
    return [Finding("disk", "ok", sentence)]
