"""How the engine ranks the orders of the made-up year, as Markdown for the documentation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lootkeep.domain.fraud import ranking
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import FLAGGED_FROM
from lootkeep.toolbox.backtest.replay import JudgedOrder, replay
from lootkeep.toolbox.backtest.report import LOW_FALSE_POSITIVE_RATE
from lootkeep.toolbox.backtest.tables import decimal, percent
from lootkeep.toolbox.made_up_year import ORDERS, SEED, MadeUpLists, kind_of, made_up_year


def year_report(orders: int = ORDERS, seed: int = SEED) -> str:
    judged = asyncio.run(replay(made_up_year(orders, seed), Policy(), MadeUpLists(), lambda done: None))
    in_time = sorted(judged, key=lambda order: order.order.created_at or 0)
    return "\n".join([*_ranking(in_time), "", *_kinds(in_time)])


def _ranking(in_time: Sequence[JudgedOrder]) -> list[str]:
    parts = {"the whole year": in_time, "the last fifth by time": in_time[len(in_time) * 4 // 5 :]}
    head = f"| | orders | frauds | AUC | frauds caught at 1 % mistakes | honest orders from {FLAGGED_FROM} on |"
    return [head, "|---|---|---|---|---|---|", *(_figures(name, part) for name, part in parts.items())]


def _figures(name: str, judged: Sequence[JudgedOrder]) -> str:
    counts = ranking.tally((order.verdict.risk_score, order.order.is_fraud) for order in judged)
    caught = ranking.tpr_at(LOW_FALSE_POSITIVE_RATE, ranking.curve(counts))
    above = sum(counts.good[FLAGGED_FROM:]) / counts.goods if counts.goods else None
    figures = (f"{len(judged):,}", f"{counts.frauds:,}", decimal(ranking.auc(counts)), percent(caught), percent(above))
    return f"| {name} | {' | '.join(figures)} |"


def _kinds(judged: Sequence[JudgedOrder]) -> list[str]:
    scores: dict[tuple[bool, str], list[int]] = {}
    for order in judged:
        scores.setdefault((order.order.is_fraud, kind_of(order.order)), []).append(order.verdict.risk_score)
    rows = [
        f"| {kind}{', fraud' if is_fraud else ''} | {len(own):,} | {sum(own) / len(own):.0f} "
        f"| {percent(sum(score >= FLAGGED_FROM for score in own) / len(own))} |"
        for (is_fraud, kind), own in sorted(scores.items())
    ]
    return [f"| buyers | orders | average score | from {FLAGGED_FROM} on |", "|---|---|---|---|", *rows]
