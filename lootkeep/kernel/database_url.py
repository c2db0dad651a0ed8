"""The URL of a PostgreSQL database: whether it is complete, so that no driver quotes a password as part of a host."""

from __future__ import annotations

import re

_HOST = r"(\[[^\]/?#@]*\]|[^/?#@:,\[\]]*)(:\d+)?"
_VALUE = r"[^#=&@]+=[^#&]*"
_POSTGRES = re.compile(rf"postgres(ql)?://([^/?#]*@)?{_HOST}(,{_HOST})*(/[^@?#]*)?(\?{_VALUE}(&{_VALUE})*)?")


def is_postgres(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))


def check_postgres(url: str) -> None:
    if not _POSTGRES.fullmatch(url):
        raise ValueError(
            "must be postgresql://USER:PASSWORD@HOST/NAME; in the password write %2F for /, %3F for ? and %23 for #"
        )
