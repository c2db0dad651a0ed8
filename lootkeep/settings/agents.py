"""What agents may do at `/mcp`, beyond the scopes of their tokens."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings


class AgentSettings(BaseSettings):
    mcp_changes: bool = Field(
        False, description="Whether agents at `/mcp` may change something, each change after a confirmation."
    )
    mcp_personal_data: bool = Field(
        False, description="Whether agents at `/mcp` see names, e-mail and IP addresses of buyers; masked otherwise."
    )
