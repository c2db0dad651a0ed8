"""A folder of generated lists for tests, with IPs that are reserved for documentation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mmdb_writer import MMDBWriter
from netaddr import IPSet

from lootkeep.engines.intelligence import Intelligence
from lootkeep.engines.intelligence.sources import Source, SourceKind
from lootkeep.kernel.clock import SECOND, Instant, ManualClock
from tests.world import NOON


class ListFolder:
    """A folder of lists, and an intelligence that reads only it."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.clock = ManualClock(Instant(NOON))
        self.intelligence = Intelligence(folder, self.clock, bundled=tuple, **options)

    def write(self, name: str, content: str | bytes, *, at: int = NOON) -> Path:
        """Writes a file atomically, with a modification time."""
        draft = self.folder / f".{name}.draft"
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(draft, (at / SECOND, at / SECOND))
        return draft.rename(self.folder / name)

    def write_database(self, name: str, records: dict[str, dict[str, Any]], **options: Any) -> Path:
        return self.write(name, database(records, self.folder, **options))

    def served(self, need: SourceKind) -> list[Source]:
        return self.intelligence.status()[need]

    @property
    def rejected(self) -> dict[str, str]:
        return {item.file: item.sentence for item in self.intelligence.rejections()}

    def flags(self, ip_address: str) -> str:
        """The flags that are set, as text."""
        network = self.intelligence.network(ip_address)
        flags = {"vpn": network.is_vpn, "proxy": network.is_proxy, "dc": network.is_datacenter, "tor": network.is_tor}
        return " ".join(name for name, is_set in flags.items() if is_set)


def database(
    records: dict[str, dict[str, Any]], folder: Path, *, database_type: str = "Test", ip_version: int = 6
) -> bytes:
    writer = MMDBWriter(ip_version=ip_version, ipv4_compatible=ip_version == 6, database_type=database_type)
    for network, record in records.items():
        writer.insert_network(IPSet([network]), record)
    draft = folder / ".made.mmdb"
    writer.to_db_file(str(draft))
    content = draft.read_bytes()
    draft.unlink()
    return content
