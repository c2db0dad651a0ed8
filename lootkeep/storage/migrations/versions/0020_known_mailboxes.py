"""Mailboxes and devices that were seen before are counted under the one form they have now."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

_PROTON = ("proton.me", "protonmail.com", "protonmail.ch", "pm.me")
_ICLOUD = ("icloud.com", "me.com", "mac.com")
_YANDEX = ("yandex.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.com.tr", "ya.ru")
_YAHOO = ("yahoo.com", "yahoo.co.uk", "yahoo.fr", "yahoo.de", "yahoo.it", "yahoo.es", "ymail.com", "rocketmail.com")
_FASTMAIL = ("fastmail.com", "fastmail.fm")

_FIND = {"sqlite": "instr", "postgresql": "strpos"}
_NAME = "substr(value, 1, {find}(value, '@') - 1)"
_PLAIN = f"replace(replace(replace({_NAME}, '.', ''), '-', ''), '_', '')"
_DOTTED = f"replace({_NAME}, '-', '.')"
_UNTAGGED = "substr(value, 1, {find}(value, '-') - 1)"
_SUBDOMAIN = "substr(value, {find}(value, '@') + 1, length(value) - {find}(value, '@') - length('.%s'))"

# History may hold both forms of one customer: the first and the last time are the outermost.
_MERGE = """
    INSERT INTO sightings (kind, value, customer_id, first_seen_at, last_seen_at)
    SELECT kind, {form}, customer_id, min(first_seen_at), max(last_seen_at)
    FROM sightings WHERE {chosen} GROUP BY 1, 2, 3
    ON CONFLICT (kind, value, customer_id) DO UPDATE SET
        first_seen_at = CASE WHEN sightings.first_seen_at < excluded.first_seen_at
            THEN sightings.first_seen_at ELSE excluded.first_seen_at END,
        last_seen_at = CASE WHEN sightings.last_seen_at > excluded.last_seen_at
            THEN sightings.last_seen_at ELSE excluded.last_seen_at END
"""
_REMOVE = "DELETE FROM sightings WHERE {chosen}"


def upgrade() -> None:
    for domains, name in ((_PROTON, _PLAIN), (_ICLOUD, _NAME), (_YANDEX, _DOTTED)):
        for domain in domains:
            _move(f"{name} || '@{domains[0]}'", "mailbox", f"%@{domain}", f"{name} <> ''")
    for domain in _YAHOO:
        _move(f"{_UNTAGGED} || '@{domain}'", "mailbox", f"%@{domain}", f"{{find}}({_NAME}, '-') > 1")
    for domain in _FASTMAIL:
        name = _SUBDOMAIN % domain
        _move(f"{name} || '@{domain}'", "mailbox", f"%@%.{domain}", f"{{find}}({name}, '.') = 0")
    _move("lower(trim(value))", "device", "%", "trim(value) <> ''")


def _move(form: str, kind: str, like: str, condition: str) -> None:
    find = _FIND[op.get_context().dialect.name]
    chosen = f"kind = '{kind}' AND value LIKE '{like}' AND {condition} AND value <> {form}"
    for statement in (_MERGE, _REMOVE):
        op.execute(sa.text(statement.format(form=form, chosen=chosen).format(find=find)))
