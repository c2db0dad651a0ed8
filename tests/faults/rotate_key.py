"""`lootkeep key rotate` with short waits, as a process that can be killed."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from lootkeep import settings
from lootkeep.cli.key import rotate_key


async def soon(seconds: float) -> None:
    await asyncio.sleep(seconds / 50)


if __name__ == "__main__":
    new_key = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    print(asyncio.run(rotate_key(settings.load(), new_key, soon, ends_links=False)).sentence)
