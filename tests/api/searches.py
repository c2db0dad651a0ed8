"""A text that breaks whatever builds SQL, HTML, a pattern or a header from it."""

from __future__ import annotations

HOSTILE = "'; DROP TABLE orders; -- \" <script>alert(1)</script> %_\\ \u202e\U0001f600 {{7*7}} \r\n\t${x}"
