"""The acts of the audit log, by area: what the log calls each, and what its sentence says after who did it.

`{name}` is a value of the entry, `{record}` the record, `{fields}` what was changed; `{names}` and `{values}` are those
of an entry whose fields are names that people gave. A part in brackets is left out
when the entry lacks its value, or when who reads may not see it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup

# Every file that someone takes along is one act; the record says what is in it.
EXPORT = "Export"
_ORDERS = {
    "Mark fulfilled": "marked {record} as fulfilled",
    "Cancel order": "cancelled {record}[: {cancel_reason}]",
    "Refund order": "refunded [{refunded_total_change} of ]{record}",
    "Show a key": "looked at the key[ {key}] of {record}",
    "Replace a key": "replaced a key of {record}[: {reason}]",
    "Renew the link": "renewed the link of the buyer’s page of {record}",
    "Send a command again": "sent a command of {record} again",
}
_FRAUD = {
    "Approve order": "approved {record}",
    "Reject order as fraud": "rejected {record} as fraud",
    "Review order": "reviewed {record}[ as {review}]",
    "Reject and block the buyer": "rejected {record} as fraud and blocked its buyer",
    "Decide a ring": "decided the ring of {record}[ as {review}][: {ring}]",
    "Take a case": "changed whose case {record} is",
    "Add to a fraud list": "added [{values} ]to a fraud list",
    "Remove from a fraud list": "removed [{values} ]from a fraud list",
    "Create a fraud list": "created the fraud list[ {names}]",
    "Delete a fraud list": "deleted the fraud list[ {names}]",
    "Save a fraud rule": "saved a fraud rule",
    "Delete a fraud rule": "deleted a fraud rule",
    "Change fraud settings": "changed [{fields} of ]the fraud settings",
}
_CUSTOMERS = {
    "Change a customer": "changed [{fields} of ]{record}",
    "Block a customer": "blocked {record}",
    "Unblock a customer": "unblocked {record}",
    "Erase a customer": "erased the personal data of {record}",
}
_PRODUCTS = {
    "Create a product": "created {record}",
    "Edit a product": "changed [{fields} of ]{record}",
    "Set the stock of a product": "set the stock of {record}[ to {stock}]",
    "Delete a product": "deleted {record}",
    "Add keys": "added [{added} ]keys to {record}",
    "Withdraw keys": "withdrew [{withdrawn} ]keys of {record}",
    "List revoked keys for the supplier": "listed the revoked keys of {record} for the supplier",
    "Change commands": "changed the commands of {record}",
}
_OFFERS = {
    "Issue a gift card": "issued {record}[ of {balance}]",
    "Change a gift card": "changed [{fields} of ]{record}",
    "Send a gift card": "sent {record}[ to {recipient_email}]",
    "Redeem a gift card": "redeemed [{balance_change} of ]{record}",
    "Revoke a gift card": "revoked {record}",
    "Create a coupon": "created {record}",
    "Generate coupons": "generated [{count} ]coupons",
    "Edit a coupon": "changed [{fields} of ]{record}",
    "Delete a coupon": "deleted {record}",
}
_PAYMENTS = {
    "Apply a payment event": "applied {record}[ of {amount}][ to {order_id}]",
    "Leave a payment event": "left {record} as it is",
    "Add a payment source": "added {record}",
    "Change a payment source": "changed [{fields} of ]{record}",
    "Delete payment source": "deleted {record}",
}
_MARKETING = {
    "Change the referral program": "changed [{fields} of ]the referral program",
    "Create a tier": "created {record}",
    "Change a tier": "changed [{fields} of ]{record}",
    "Switch a tier on or off": "changed whether {record} is on",
    "Delete a tier": "deleted {record}",
    "Create a creator": "added {record}",
    "Edit a creator": "changed [{fields} of ]{record}",
    "Book a payout": "booked a payout [of {amount} ]to {record}",
    "Create campaign": "created {record}",
    "Edit campaign": "changed [{fields} of ]{record}",
    "Send campaign": "let {record} go out[ at {scheduled_at}]",
    "Cancel campaign": "cancelled {record}",
    "Send a test e-mail": "sent a test of {record}[ to {test}]",
    "Duplicate campaign": "made {record} from another one",
    "Delete campaign": "deleted {record}",
}
_SUPPORT = {
    "Reply to a ticket": "replied to {record}",
    "Add a note to a ticket": "added a note to {record}",
    "Close a ticket": "closed {record}",
    "Set the status of a ticket": "set the status of {record}[ to {status}]",
    "Set the priority of a ticket": "set the priority of {record}[ to {priority}]",
    "Assign a ticket": "assigned {record}",
    "Create a canned reply": "wrote {record}",
    "Edit a canned reply": "changed [{fields} of ]{record}",
    "Delete a canned reply": "deleted {record}",
}
_CONNECT = {
    "Add a server": "added {record}",
    "Change a server": "changed [{fields} of ]{record}",
    "Make a new token": "made a new token for {record}",
    "Give everything again": "sent {record} everything again",
    "Send a server everything again": "sent {record} everything again[: {queued} commands]",
    "Delete server": "deleted {record}",
    "Create a webhook": "created {record}",
    "Change a webhook": "changed [{fields} of ]{record}",
    "Delete webhook": "deleted {record}",
    "Rotate secret": "rotated the secret of {record}",
    "Send a test": "sent a test to {record}[: {test}]",
    "Replay events": "replayed events to {record}[ since {since}]",
    "Send a delivery again": "sent {record} again",
}
_ALERTS = {
    "Set an alert": "set {record}",
    "Change an alert": "changed [{fields} of ]{record}",
    "Mute an alert": "muted {record}[ until {muted_until}]",
    "Unmute an alert": "unmuted {record}",
    "Test an alert": "tested {record}",
    "Delete alert": "deleted {record}",
}
_TEAM = {
    "Invite a user": "invited {record}[ as {role}]",
    "Change role": "changed the role of {record}[ to {role}]",
    "Make a one-time link": "made a one-time link for {record}",
    "Disable user": "disabled {record}",
    "Rename a user": "changed [{fields} of ]{record}",
    "Remove a user": "removed {record}",
    "Make a role": "made {record}",
    "Change a role": "changed [{fields} of ]{record}",
    "Delete a role": "deleted {record}",
    "Create a token": "created {record}",
    "Revoke token": "revoked {record}",
    "Reset the second factor": "turned off the second factor of {record}",
}
_SETTINGS = {
    "Change the settings": "changed [{fields} in ]the settings",
    "Test the mail server": "tested the mail server",
    "Set the logo": "set the logo",
    "Remove the logo": "removed the logo",
}
_SIGNING_IN = {
    "Signed in": "signed in[ by {method}]",
    "Signed in with a recovery code": "signed in with a recovery code[; {recovery_codes_left} are left]",
    "Failed to sign in": "failed to sign in as {record}",
    "Set a password by link": "set a password by link",
    "Sign in": "signed in",
    "Sign out": "signed out",
    "Choose a password": "chose a password",
    "Change your password": "changed their password",
    "Turn on two-factor authentication": "turned on two-factor authentication",
    "Turn off two-factor authentication": "turned off two-factor authentication",
    "Make new recovery codes": "made new recovery codes",
    "Sign a browser out": "signed a browser out",
    "Add a passkey": "added a passkey",
    "Remove a passkey": "removed a passkey",
    "Save a view": "saved {record} for themselves",
    "Edit a view": "renamed {record}",
    "Delete a view": "deleted {record}",
}
_BULK = {
    "Prepare a bulk action": "prepared {record}",
    "Start a bulk action": "started {record}[: {action}]",
    "Stop a bulk action": "stopped {record}[: {done} done, {refused} refused, {left} left]",
}
AREAS: Mapping[str, Mapping[str, str]] = {
    "Orders": _ORDERS,
    "Fraud": _FRAUD,
    "Customers": _CUSTOMERS,
    "Products and keys": _PRODUCTS,
    "Gift cards and coupons": _OFFERS,
    "Payments": _PAYMENTS,
    "Marketing": _MARKETING,
    "Tickets": _SUPPORT,
    "Servers and webhooks": _CONNECT,
    "Alerts": _ALERTS,
    "Team and tokens": _TEAM,
    "Settings": _SETTINGS,
    "Signing in": _SIGNING_IN,
    "Bulk actions": _BULK,
    "Exports": {EXPORT: "exported {record}"},
}
_SENTENCES = {action: pattern for patterns in AREAS.values() for action, pattern in patterns.items()}
_OPTIONAL = re.compile(r"\[(.*?)\]")
_VALUE = re.compile(r"\{(\w+)\}")


def sentence(action: str, values: Mapping[str, str]) -> Markup:
    """What is said after who did it."""

    def filled_in(match: re.Match[str]) -> str:
        return match[1] if all(values.get(name) for name in _VALUE.findall(match[1])) else ""

    parts = _VALUE.split(_OPTIONAL.sub(filled_in, _SENTENCES.get(action, action)))
    # Names of values are at every second position.
    return Markup("").join(values.get(part, "") if number % 2 else part for number, part in enumerate(parts))
