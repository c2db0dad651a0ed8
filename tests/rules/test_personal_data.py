"""Every column of text either holds personal data of customers, and is erased with them, or is named here."""

from __future__ import annotations

from sqlalchemy import Table, Text

from lootkeep.storage.customers.personal_data import PERSONAL
from lootkeep.storage.schema import metadata

# The catalogue is about what the store sells, never about a person.
NEVER_PERSONAL = {"products"}
# Words of our own, secrets that are hashed or sealed, what the store sells and writes, its staff, and ids of its own.
NOT_PERSONAL = {
    "account_links": "digest",
    "accounts": "role password_hash totp_secret",
    "alert_notices": "key path trigger",
    "alerts": "channel lease name reason status target triggers",
    "attempts": "outcome reason",
    "audit_log": "action record ip_address channel",
    "bulk_acts": "area lease name reason status",
    "bulk_rows": "sentence status parameters",
    # For any customer, as campaigns are.
    "canned_replies": "name body",
    "campaign_recipients": "status lease",
    "commands": "cause",
    "counters": "name",
    "coupons": "code origin discount_type currency product_ids categories batch stored_state",
    "creator_entries": "type currency",
    "customers": "email_status referral_code",
    "deliveries": "public_id event_type status lease reason",
    "email_campaigns": "name subject preview_text from_name reply_to body_html body_text links audience status error "
    "body_markdown search_text",
    "events": "type request_id traceparent",
    # Which country and provider an address was of says nothing of one person; it is part of the evidence.
    "fraud_checks": "risk_level action_taken signals detected_country billing_country asn_name review_outcome "
    "rule_hits truth truth_source",
    "fraud_lists": "name kind note",
    "fraud_reviews": "outcome",
    "gift_card_entries": "type reference",
    "gift_cards": "code_hash sealed_code last_four currency stored_status",
    "idempotency_keys": "path key fingerprint",
    "key_batches": "name",
    "large_amounts": "currency",
    "order_items": "product_name sku delivery_type",
    # Books are kept by these, and totals by country and payment method.
    "orders": "status currency coupon_code coupon_origin referral_code payment_method transaction_id billing_country "
    "external_id risk_level payment_instrument payment_country payment_funding payment_three_d_secure charge_id "
    "tax_rate tax_country ip_country",
    "passkeys": "credential_id name public_key",
    "payment_event_names": "name",
    "payment_events": "currency operation provider_event_id reason type",
    "payment_sources": "name previous_secret provider secret slug",
    "product_keys": "key_hash sealed_key last_four status",
    "product_tags": "tag",
    "referral_tiers": "name description reward_type reward_currency",
    "referrals": "status marks",
    "refused_referrals": "reason",
    "replays": "event_types",
    "roles": "name scopes",
    "sales_rollups": "dimension key currency",
    "recovery_codes": "digest",
    "failed_attempts": "key",
    "servers": "name game",
    "sessions": "digest ip_address user_agent",
    "settings": "name",
    "sightings": "kind",
    "subscriptions": "product_name status currency interval external_id",
    "support_tickets": "status priority category last_message_by",
    "ticket_figures": "status priority category",
    "ticket_messages": "author_type",
    "tokens": "name digest hint scopes",
    "users": "email name",
    "webhooks": "url events secret previous_secret header_names sealed_headers filter",
    "disputes": "external_id kind reason",
    "labels": "kind",
    "refunds": "reason_code",
    "payment_attempts": "external_id reason",
    "webhook_versions": "events filter",
}


def texts(table: Table) -> set[str]:
    return {column.name for column in table.c if isinstance(column.type, Text)}


def personal(table: Table) -> set[str]:
    """The columns that are erased; where rows are removed, all of them."""
    erasure = PERSONAL.get(table)
    if erasure is None:
        return set()
    if erasure.rows is not None and erasure.values is None:
        return texts(table)
    return {*(erasure.values or {}), *erasure.others} & texts(table)


def test_every_text_column_is_classified_as_personal_or_not() -> None:
    unknown = {
        f"{table.name}.{column}"
        for table in metadata.tables.values()
        if table.name not in NEVER_PERSONAL
        for column in texts(table) - personal(table) - set(NOT_PERSONAL.get(table.name, "").split())
    }
    sentence = "Say in storage/customers/personal_data.py what erasure does with them, or name them in NOT_PERSONAL"
    assert not unknown, f"{sentence}: {', '.join(sorted(unknown))}"


def test_no_column_is_classified_twice_and_every_name_is_a_column() -> None:
    assert not NEVER_PERSONAL & {*NOT_PERSONAL, *(table.name for table in PERSONAL)}
    for name, columns in NOT_PERSONAL.items():
        table = metadata.tables[name]
        assert set(columns.split()) <= texts(table) - personal(table), name
    for table, erasure in PERSONAL.items():
        assert {*(erasure.values or {}), *erasure.others} <= set(table.c.keys()), table.name
