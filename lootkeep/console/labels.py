"""Labels as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from markupsafe import Markup

from lootkeep.domain.fraud.review import detected_signals
from lootkeep.views.labels import TONES, label


@lru_cache(maxsize=1024)
def badge(status: str, text: str | None = None, tone: str | None = None) -> Markup:
    """A word in the tone of its status; `text` overrides the status's own label."""
    shown = tone or TONES.get(status, "quiet")
    return Markup('<span class="badge {}">{}</span>').format(shown, text or label(status))


def reasons(points: Mapping[str, int]) -> str:
    """The two heaviest reasons of a score."""
    return " · ".join(detected_signals(points)[:2])
