"""The plan of a fault test, its report, and the table that shows it."""

from __future__ import annotations

from dataclasses import dataclass

WEBHOOKS = 3


@dataclass(frozen=True)
class FaultPlan:
    """What to do; the same seed chooses the same moments, as far as a real machine can repeat itself."""

    engine: str
    kills: int
    deliveries: int
    seed: int
    processes: int = 2

    @property
    def events(self) -> int:
        return -(-self.deliveries // WEBHOOKS)


@dataclass
class DeliveryReport:
    """The result of a run."""

    plan: FaultPlan
    kills: int = 0
    sends: int = 0
    interrupted: int = 0
    seconds: float = 0
    lost: int = 0
    without_attempt: int = 0
    numbers_twice: int = 0
    left_open: int = 0

    @property
    def faults(self) -> int:
        return self.lost + self.without_attempt + self.numbers_twice + self.left_open


COLUMNS = ("engine", "kills", "deliveries", "sends", "interrupted", "lost", "sent without a row", "numbers twice")


def table(reports: list[DeliveryReport]) -> str:
    lines = ["| " + " | ".join((*COLUMNS, "left open", "seconds", "seed")) + " |"]
    lines.append("|" + "---|" * (len(COLUMNS) + 3))
    for report in reports:
        plan = report.plan
        cells = (plan.engine, report.kills, plan.events * WEBHOOKS, report.sends, report.interrupted, report.lost)
        more = (report.without_attempt, report.numbers_twice, report.left_open, round(report.seconds), plan.seed)
        lines.append("| " + " | ".join(str(cell) for cell in (*cells, *more)) + " |")
    return "\n".join(lines)
