"""What each migration changes, and whether processes of the previous version may continue: one row each."""

from __future__ import annotations

from typing import NamedTuple


class Change(NamedTuple):
    """One migration, for the person who decides when to run it.

    `is_online`: what a process of the version before writes after it is complete. It only adds tables, indexes, and
    columns that such a process need not fill.
    `unused_since`: the migration whose version was the first that neither reads nor writes what this one drops.
    """

    sentence: str
    is_online: bool = False
    unused_since: str = ""


CHANGES = {
    "0001": Change("Creates users, tokens, idempotency keys, settings and referral tiers."),
    "0002": Change("Creates customers, products, the outbox and the counters."),
    "0003": Change("Creates referrals, coupons and claims."),
    "0004": Change("Creates subscriptions, orders and refunds."),
    "0005": Change("Creates webhooks, deliveries, attempts and replays."),
    "0006": Change("Records which lines of an order took from a stock."),
    "0007": Change("Creates gift cards and the ledger of their balances."),
    "0008": Change("Creates support tickets and their figures."),
    "0009": Change("Creates the queue of e-mails.", is_online=True),
    "0010": Change("Creates e-mail campaigns and their recipients."),
    "0011": Change("Creates the sums that analytics reads, and indexes for lists."),
    "0012": Change("Creates fraud checks, reviews and policies."),
    "0013": Change("Rewrites deliveries and attempts with narrower rows and fewer indexes."),
    "0014": Change("Replaces indexes of fraud checks, and sums counters by 16 days."),
    "0015": Change("Sums what each customer spent, and counts products and campaigns by day."),
    "0016": Change("Replaces the indexes of e-mails.", is_online=True),
    "0017": Change("Lets PostgreSQL announce events, so that the feed passes over none.", is_online=True),
    "0018": Change("Notifies processes of changed tokens, and leases idempotency keys.", is_online=True),
    "0019": Change("Counts IPv6 addresses by their /64: fills in the network of orders and sightings."),
    "0020": Change("Merges different spellings of one mailbox or device."),
    "0021": Change("Replaces the indexes of tickets, gift cards and fraud checks.", is_online=True),
    "0022": Change("Creates accounts, sessions and the audit log of the console.", is_online=True),
    "0023": Change("Replaces maintained totals by fewer ones, counted from orders."),
    "0024": Change("Creates the limits of large orders; fraud checks have a version of their engine.", is_online=True),
    "0025": Change("Allows payment instruments among what customers were seen with.", is_online=True),
    "0026": Change("Adds an index of the fraud checks that wait for a review.", is_online=True),
    "0027": Change("Adds times of consent, reasons of a status, a table of tags, and ids of subscriptions."),
    "0028": Change("Records what each webhook subscribed to, and when."),
    "0029": Change("Counts how often the referral links of campaigns are followed.", is_online=True),
    "0030": Change("Creates alerts and their queue.", is_online=True),
    "0031": Change("Creates the lists of fraud rules; fraud checks record which rules matched.", is_online=True),
    "0032": Change("Creates declined payments.", is_online=True),
    "0033": Change("Creates disputes, and labels fraud checks with what their orders turned out to be."),
    "0034": Change("Gives fraud checks that wait an owner, a due time and an expected loss."),
    "0035": Change("Records which request and which trace caused an event.", is_online=True),
    "0036": Change("Lets PostgreSQL say which queue has something to do.", is_online=True),
    "0037": Change("Renames two columns of gift cards: stored_status and next_status_change_at."),
    "0038": Change("Adds up the values of gift cards once, instead of at every request for their figures."),
    "0039": Change("Replaces the index of customers by consent by one that counts an audience.", is_online=True),
    "0040": Change("Adds indexes of blocked checks, and of customers whom no e-mail reaches.", is_online=True),
}
