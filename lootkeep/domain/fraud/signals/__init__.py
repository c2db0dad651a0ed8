"""SIGNALS, the table of everything that counts for or against an order."""

from __future__ import annotations

from lootkeep.domain.fraud.signals import email, geography, identity, network, payment, velocity
from lootkeep.domain.fraud.signals.signal import Signal

_GEO = "fraud_check_geo_mismatch"
_VELOCITY = "fraud_check_velocity"
_DISPOSABLE = "fraud_check_disposable_email"

# Ten points double the odds of fraud compared with an ordinary order of this store: 20 means four times, 40 sixteen
# times. tests/domain/fraud/test_laws.py checks two laws. A trait that thousands of strangers share (a network, a
# country, an e-mail provider) never outranks a link between two accounts: a second account on a device gets 12 + 8.
# Labels of one fact do not add up: of the family `network` and `geo_mismatch` only the heaviest counts.
SIGNALS: tuple[Signal, ...] = (
    Signal("vpn", "VPN address", "network", 10, 10, None, network.vpn),
    Signal("proxy", "Proxy address", "network", 15, 15, None, network.proxy),
    Signal("datacenter", "Datacenter address", "network", 10, 10, None, network.datacenter),
    Signal("tor", "Tor exit", "network", 10, 20, None, network.tor),
    Signal("sanctioned_country", "Sanctioned country", "geography", 10, 10, None, geography.sanctioned_country),
    Signal("blocked_country", "Country blocked by the store", "geography", 10, 10, None, geography.blocked_country),
    Signal("high_risk_country", "High-risk country", "geography", 10, 10, None, geography.high_risk_country),
    Signal(
        "geo_mismatch", "Address and billing in different countries", "geography", 10, 10, _GEO, geography.geo_mismatch
    ),
    Signal("velocity_ip", "Too many orders from one address", "velocity", 10, 10, _VELOCITY, velocity.velocity_ip),
    Signal("velocity_email", "Too many orders of one mailbox", "velocity", 20, 40, _VELOCITY, velocity.velocity_email),
    Signal("order_burst", "Several orders of a new customer", "velocity", 5, 35, _VELOCITY, velocity.order_burst),
    Signal("large_order", "Unusually large order", "velocity", 5, 5, None, velocity.large_order),
    Signal("disposable_email", "Disposable e-mail address", "email", 20, 20, _DISPOSABLE, email.disposable_email),
    Signal("relay_email", "Forwarding e-mail address", "email", 5, 5, None, email.relay_email),
    Signal("tagged_email", "Tagged e-mail address", "email", 5, 5, None, email.tagged_email),
    Signal("account_age", "New account", "identity", 5, 20, None, identity.account_age),
    Signal("device_reuse", "Other accounts on this device", "identity", 12, 12, None, identity.device_reuse),
    Signal("device_newcomer", "New account on a used device", "identity", 8, 24, None, identity.device_newcomer),
    Signal(
        "device_velocity",
        "Other accounts on this device within the hour",
        "identity",
        12,
        36,
        None,
        identity.device_velocity,
    ),
    Signal(
        "ip_accounts", "Other accounts at this address within the hour", "identity", 5, 5, None, identity.ip_accounts
    ),
    Signal("player_accounts", "Other accounts for this player", "identity", 12, 36, None, identity.player_accounts),
    Signal(
        "user_agent_missing_or_bot",
        "No browser, or a program",
        "identity",
        5,
        20,
        None,
        identity.user_agent_missing_or_bot,
    ),
    Signal("referral_abuse", "Referral abuse", "identity", 15, 15, None, identity.referral_abuse),
    Signal("confirmed_fraud", "Earlier fraud, confirmed", "identity", 20, 60, None, identity.confirmed_fraud),
    Signal("card_accounts", "Other accounts with this card", "payment", 12, 36, None, payment.card_accounts),
    Signal("account_cards", "Other cards of this account within a day", "payment", 12, 36, None, payment.account_cards),
    Signal("card_testing", "Many declined payments", "payment", 20, 40, _VELOCITY, payment.card_testing),
    Signal(
        "card_country_mismatch",
        "Card and billing from different countries",
        "payment",
        10,
        10,
        None,
        payment.card_country_mismatch,
    ),
    Signal("prepaid", "Prepaid card", "payment", 5, 5, None, payment.prepaid),
    Signal("three_d_secure", "3-D Secure passed", "payment", -20, -20, None, payment.three_d_secure),
    Signal("trusted_customer", "Known customer", "identity", -15, -15, None, identity.trusted_customer),
)

BY_NAME = {signal.name: signal for signal in SIGNALS}
