"""Personal data of customers: every column with such data, how to find its rows, and what erasure leaves."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Table,
    Text,
    bindparam,
    case,
    cast as sql_cast,
    func,
    literal,
    or_,
    select,
    union,
    union_all,
)

from lootkeep.domain.customers import ERASED_NAME, ERASED_REASON, ERASED_TEXT
from lootkeep.storage.schema import (
    alert_notices,
    attempts,
    audit_log,
    bulk_acts,
    campaign_recipients,
    commands,
    coupons,
    creator_entries,
    creators,
    customer_identities,
    customer_tags,
    customers,
    disputes,
    events,
    evidence,
    fraud_checks,
    fraud_list_entries,
    fraud_policies,
    fraud_reviews,
    gift_cards,
    goods_looks,
    idempotency_keys,
    labels,
    mails,
    orders,
    payment_attempts,
    payment_events,
    product_keys,
    referrals,
    refunds,
    saved_views,
    settings,
    sightings,
    subscriptions,
    support_tickets,
    ticket_messages,
)

_PLAYER = ("player_game", "player_id", "player_name")

CUSTOMER: Any = bindparam("customer", type_=BigInteger)
_EMAIL: Any = bindparam("old_email", type_=Text)
_PSEUDONYM: Any = bindparam("pseudonym", type_=Text)
_NOW: Any = bindparam("now", type_=BigInteger)


class Erasure(NamedTuple):
    """A customer's rows of a table, and the new values of their columns; without `values` the rows are deleted."""

    rows: ColumnElement[bool] | None
    values: dict[str, Any] | None = None
    # Columns that are rewritten row by row, or that expire automatically.
    others: tuple[str, ...] = ()


def own(table: Table) -> Any:
    return table.c.customer_id == CUSTOMER


def part_of(column: Any, table: Table) -> Any:
    """A row that refers to a row of the customer in another table."""
    return column.in_(select(table.c.id).where(own(table)))


def payment_event_of(email: Any) -> Any:
    """A payment of one of the customer's orders, or by this payer: an index finds each, and one OR would use none."""
    ids = select(payment_events.c.id)
    by_payer = ids.where(payment_events.c.payer_email == email)
    return payment_events.c.id.in_(union(ids.where(part_of(payment_events.c.order_id, orders)), by_payer))


def _names(table: Table, noun: str) -> Any:
    """What the customer's rows of a table are called, such as `ticket:7`."""
    return select(literal(f"{noun}:", Text) + sql_cast(table.c.id, Text)).where(own(table))


def _renamed(column: Any) -> Erasure:
    """The pseudonym in lists of e-mails: decisions based on them do not change."""
    quoted = [literal('"', Text) + email + literal('"', Text) for email in (_EMAIL, _PSEUDONYM)]
    return Erasure(
        column.like(literal("%", Text) + _EMAIL + literal("%", Text)), {column.name: func.replace(column, *quoted)}
    )


def _searches(term: str) -> Any:
    """A saved view that searches for a term, which is written as in an address."""
    wanted = literal("%search=", Text) + bindparam(term, type_=Text) + literal("%", Text)
    return func.lower(saved_views.c.list_query).like(wanted)


# By order, which is indexed.
OWN_CHECK = part_of(fraud_checks.c.order_id, orders)
_CARD = or_(own(gift_cards), gift_cards.c.recipient_email == _EMAIL)
_AUDITED = audit_log.c.record.in_(
    union_all(
        select(literal("customer:", Text) + sql_cast(CUSTOMER, Text)),
        _names(orders, "order"),
        _names(support_tickets, "ticket"),
        _names(gift_cards, "gift_card"),
        _names(creators, "creator"),
    )
)

PERSONAL: dict[Table, Erasure] = {
    customers: Erasure(
        customers.c.id == CUSTOMER,
        {
            "email": _PSEUDONYM,
            "name": ERASED_NAME,
            **dict.fromkeys(("username", "external_id", "country", "note")),
            **dict.fromkeys(("tags", "identities", "former_emails"), "[]"),
            "search_text": bindparam("erased_search_text", type_=Text),
            "status": "blocked",
            "status_reason": ERASED_REASON,
            "accepts_marketing": False,
            "erased_at": func.coalesce(customers.c.erased_at, _NOW),
            "updated_at": func.coalesce(customers.c.erased_at, _NOW),
        },
    ),
    customer_tags: Erasure(own(customer_tags)),
    customer_identities: Erasure(own(customer_identities)),
    orders: Erasure(
        own(orders),
        {
            **dict.fromkeys(("ip_address", "ip_network", "user_agent", "device_id", "fulfillment_note", *_PLAYER)),
            "payment_bin": None,
            "metadata": "{}",
            "updated_at": _NOW,
            # Our own words stay, user input is erased.
            "cancel_reason": case((orders.c.cancel_reason == "fraud", orders.c.cancel_reason)),
        },
    ),
    # Why a key did not work, in the words of the buyer.
    product_keys: Erasure(part_of(product_keys.c.order_id, orders), {"replace_reason": None}),
    refunds: Erasure(part_of(refunds.c.order_id, orders), {"reason": None}),
    subscriptions: Erasure(own(subscriptions), dict.fromkeys(("cancel_reason", *_PLAYER))),
    fraud_checks: Erasure(
        OWN_CHECK,
        {"email": _PSEUDONYM, **dict.fromkeys(("ip_address", "user_agent", "detected_city", "review_notes"))},
        others=("facts",),
    ),
    fraud_reviews: Erasure(fraud_reviews.c.check_id.in_(select(fraud_checks.c.id).where(OWN_CHECK)), {"notes": None}),
    # Devices and IP addresses on lists no longer identify anyone.
    fraud_list_entries: Erasure(fraud_list_entries.c.value == bindparam("mailbox", type_=Text)),
    # Keyed hashes already, like payment instruments; the others become such a hash.
    referrals: Erasure(None, others=("mailbox", "device")),
    sightings: Erasure(None, others=("value",)),
    labels: Erasure(None, others=("value",)),
    payment_attempts: Erasure(own(payment_attempts), dict.fromkeys(("device_id", "ip_network"))),
    # One that waits says nothing any more.
    payment_events: Erasure(
        payment_event_of(_EMAIL),
        {
            **dict.fromkeys(("payer_email", "body", "lease")),
            "status": case((payment_events.c.finished_at.is_(None), "ignored"), else_=payment_events.c.status),
            "finished_at": func.coalesce(payment_events.c.finished_at, _NOW),
        },
    ),
    gift_cards: Erasure(
        _CARD,
        {
            **dict.fromkeys(("recipient_email", "recipient_name", "sender_name", "message", "note", "revoke_reason")),
            "search_text": func.lower(gift_cards.c.last_four),
        },
    ),
    coupons: Erasure(own(coupons), {"note": None, "search_text": func.lower(coupons.c.code)}),
    # The ledger stays, under a name that says nothing.
    creators: Erasure(own(creators), {"name": ERASED_NAME}),
    creator_entries: Erasure(
        part_of(creator_entries.c.creator_id, creators) & creator_entries.c.reference.is_not(None),
        {"reference": literal("erased ", Text) + sql_cast(creator_entries.c.id, Text)},
    ),
    support_tickets: Erasure(own(support_tickets), {"subject": ERASED_TEXT, "search_text": ""}),
    alert_notices: Erasure(alert_notices.c.key.in_(_names(support_tickets, "ticket")), {"text": ERASED_TEXT}),
    evidence: Erasure(evidence.c.dispute_id.in_(select(disputes.c.id).where(part_of(disputes.c.order_id, orders)))),
    goods_looks: Erasure(part_of(goods_looks.c.order_id, orders), dict.fromkeys(("ip_address", "user_agent"))),
    ticket_messages: Erasure(
        part_of(ticket_messages.c.ticket_id, support_tickets),
        {
            "body": ERASED_TEXT,
            "author_name": case(
                (ticket_messages.c.author_type == "customer", ERASED_NAME), else_=ticket_messages.c.author_name
            ),
        },
    ),
    # What still waits is cancelled: an erased text must not be run.
    commands: Erasure(
        own(commands),
        {
            "text": ERASED_TEXT,
            **dict.fromkeys((*_PLAYER, "reason", "lease")),
            "status": case((commands.c.finished_at.is_(None), "cancelled"), else_=commands.c.status),
            "finished_at": func.coalesce(commands.c.finished_at, _NOW),
        },
    ),
    mails: Erasure(mails.c.to_email == _EMAIL, others=("to_email", "to_name", "subject", "body")),
    # A reason may quote what a mail server said about the e-mail address.
    campaign_recipients: Erasure(own(campaign_recipients), {"email": _PSEUDONYM, "reason": None}),
    # What a list was searched for may be a name. Parameters are removed with the act.
    bulk_acts: Erasure(bulk_acts.c.list_query.contains("search="), {"list_query": "?"}, others=("parameters",)),
    # A view of what was found for the name or the e-mail of the customer.
    saved_views: Erasure(or_(_searches("searched_name"), _searches("searched_email"))),
    audit_log: Erasure(_AUDITED, {"before": "{}", "after": "{}"}),
    settings: _renamed(settings.c.value),
    fraud_policies: _renamed(fraud_policies.c.document),
    events: Erasure(None, others=("data",)),
    attempts: Erasure(None, others=("excerpt",)),
    # Sealed, and removed after a day.
    idempotency_keys: Erasure(None, others=("answer",)),
}
