"""The metadata all tables share, and the few kinds of columns they use."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TextClause,
)
from sqlalchemy.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# SQLite numbers rows automatically only in a column of the type INTEGER, which has 64 bits.
Id = BigInteger().with_variant(Integer, "sqlite")

# What a column means beyond its type: an export writes such values in their public form.
DOCUMENT, MONEY, INSTANT = ({"kind": kind} for kind in ("document", "money", "instant"))


def numbered_table(name: str, *parts: SchemaItem) -> Table:
    """A table whose rows the database numbers; it never gives an id again."""
    return Table(name, metadata, identity(), *parts, sqlite_autoincrement=True)


def partial_index(name: str, where: ColumnElement[bool] | TextClause, *columns: Any, unique: bool = False) -> Index:
    """An index of the rows for which a condition holds."""
    return Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


def search_index() -> Index:
    """For parts of words, on PostgreSQL; SQLite has tables of its own for that."""
    trigrams = {"search_text": "gin_trgm_ops"}
    return Index(None, "search_text", postgresql_using="gin", postgresql_ops=trigrams).ddl_if(dialect="postgresql")


def identity() -> Column[int]:
    return Column("id", Id, primary_key=True)


def text(name: str, *, optional: bool = False, unique: bool = False, default: str | None = None) -> Column[str]:
    return Column(name, Text, nullable=optional, unique=unique or None, server_default=default)


def document(name: str, *, default: str | None = None) -> Column[str]:
    """JSON as text: the same bytes on both engines."""
    return Column(name, Text, nullable=False, server_default=default, info=DOCUMENT)


def sealed(name: str, *purposes: str, optional: bool = False) -> Column[str]:
    """Sealed with the application key, for one of these purposes; a rotation of the key finds it by this."""
    return Column(name, Text, nullable=optional, info={"purposes": purposes})


def number(name: str, *, optional: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=optional)


def money(name: str, *, optional: bool = False) -> Column[int]:
    """Hundredths of a currency, or of a percent."""
    return Column(name, BigInteger, nullable=optional, info=MONEY)


def instant(name: str, *, optional: bool = False) -> Column[int]:
    """Microseconds since the epoch."""
    return Column(name, BigInteger, nullable=optional, info=INSTANT)


def flag(name: str, **options: Any) -> Column[bool]:
    return Column(name, Boolean, nullable=False, **options)


def link(
    name: str, target: str, *, optional: bool = False, is_checked_last: bool = False, **options: Any
) -> Column[int]:
    """A reference to another table's id; checked by the commit if a later write of the transaction decides about it."""
    key = ForeignKey(target, deferrable=True, initially="DEFERRED") if is_checked_last else ForeignKey(target)
    return Column(name, BigInteger, key, nullable=optional, **options)


def nulls_last(name: str, column: Column[Any], key: Column[int]) -> None:
    """An index for lists in which rows without a value come last, newest first."""
    Index(name, column.desc().nulls_last(), key.desc()).ddl_if(dialect="postgresql")
    # SQLite sorts nulls before any value.
    Index(name, column, key).ddl_if(dialect="sqlite")
