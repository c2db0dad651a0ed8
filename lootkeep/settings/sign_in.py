"""The settings of signing in to the console elsewhere: an OpenID Connect provider, or a proxy."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network
from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from lootkeep.settings.files import FileSettings, Secret

_ROLES = "must be groups with their roles, such as admins=owner; support=Support"


class SignInSettings(FileSettings):
    """Part of the one table of settings."""

    oidc_issuer: str | None = Field(
        None, description="The OpenID Connect provider of the console, such as `https://id.example.com`."
    )
    oidc_client_id: str | None = Field(None, description="The client id that the provider gave to this service.")
    oidc_client_secret: Secret[SecretStr | None] = Field(None, description="The client secret that belongs to it.")
    oidc_scopes: str = Field("openid email profile", description="What is asked of the provider; some need `groups`.")
    oidc_group_claim: str = Field("groups", description="The claim with the groups of who signs in.")
    oidc_roles: Annotated[dict[str, str], NoDecode] = Field(
        {}, description="The role of each group, the most important first: `admins=owner; support=Support`."
    )
    oidc_allowed_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        (), description="Your own private networks that the provider may be in, separated by commas."
    )
    proxy_auth_header: str | None = Field(
        None, description="The header in which a proxy names who is signed in, such as `Remote-Email`."
    )
    proxy_auth_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        (), description="The addresses of that proxy, separated by commas; from any other the header is ignored."
    )
    proxy_auth_groups_header: str | None = Field(
        None, description="The header with their groups, separated by commas, such as `Remote-Groups`."
    )
    proxy_auth_roles: Annotated[dict[str, str], NoDecode] = Field(
        {}, description="The role of each of these groups, as in `LOOTKEEP_OIDC_ROLES`."
    )
    password_sign_in: bool = Field(
        True, description="`false` lets people sign in at the provider or the proxy only, without password or passkey."
    )

    @field_validator("oidc_issuer")
    @classmethod
    def _issuer(cls, url: str | None) -> str | None:
        if url and not re.fullmatch(r"https?://[^\s/?#@\"<>]+(/[^\s?#\"<>]*)?", url):
            raise ValueError("must be a URL such as https://id.example.com")
        return url.rstrip("/") if url else None

    @field_validator("proxy_auth_header", "proxy_auth_groups_header")
    @classmethod
    def _header(cls, name: str | None) -> str | None:
        # An underscore is a hyphen to some servers and not to others.
        if name and not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
            raise ValueError("must be the name of a header such as Remote-Email")
        return name or None

    @field_validator("oidc_roles", "proxy_auth_roles", mode="before")
    @classmethod
    def _roles(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.rpartition("=") for part in value.split(";") if part.strip()]
        if not all(group.strip() and role.strip() for group, _, role in pairs):
            raise ValueError(_ROLES)
        return {group.strip(): role.strip() for group, _, role in pairs}

    @field_validator("oidc_allowed_networks", "proxy_auth_networks", mode="before")
    @classmethod
    def _own_networks(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value
