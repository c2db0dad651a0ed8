"""The IP lists and e-mail domain lists: missing, old or unreadable ones."""

from __future__ import annotations

from lootkeep.engines.intelligence import Intelligence, advice
from lootkeep.engines.intelligence.sources import SourceKind
from lootkeep.kernel.clock import Instant
from lootkeep.services.health.finding import Config, Finding

# Without these a buyer looks more honest than they are; without the others only details are missing.
WANTED: frozenset[SourceKind] = frozenset({"country", "datacenter", "vpn", "proxy", "tor", "disposable"})


def findings(config: Config, intelligence: Intelligence, now: Instant) -> list[Finding]:
    result = []
    for need, sources in intelligence.status().items():
        todo = advice.advice(need, sources, now, str(config.data_dir))
        words = [", ".join(advice.described(source, need, now) for source in sources) + ".", todo]
        sentence = " ".join(word for word in words[not sources :] if word)
        result.append(Finding(need, "warning" if todo and (sources or need in WANTED) else "ok", sentence))
    return result + [Finding("lists", "bad", f"{item.file} {item.sentence}") for item in intelligence.rejections()]


def missing(intelligence: Intelligence) -> list[str]:
    """The needs without a list."""
    return [need for need, sources in intelligence.status().items() if need in WANTED and not sources]
