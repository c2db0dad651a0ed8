"""What an overloaded server answers."""

from __future__ import annotations

OVERLOADED = {
    "success": False,
    "error": "Service Unavailable",
    "code": "overloaded",
    "message": "The service is busy and has not started this request. Please try again shortly.",
}
