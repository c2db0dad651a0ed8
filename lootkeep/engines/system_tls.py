"""The certificates that this system trusts, read by the first connection that needs them: 40 ms and 3 MB."""

import ssl
from functools import cache


@cache
def context() -> ssl.SSLContext:
    return ssl.create_default_context()
