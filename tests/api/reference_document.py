"""A small OpenAPI document with everything in it that the reference page must show."""

from __future__ import annotations

from typing import Any

NULL = {"type": "null"}
SHARED = {"401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "422": "Invalid", "429": "TooMany"}


def responses(example: Any, schema: Any = None, status: str = "200") -> dict[str, Any]:
    shared = {code: {"$ref": f"#/components/responses/{name}"} for code, name in SHARED.items()}
    content = {"application/json": {"schema": schema or {"type": "object"}, "example": example}}
    return {status: {"description": "Done.", "content": content}, **shared}


def operation(id_: str, summary: str, tag: str, scope: str, answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"operationId": id_, "summary": summary, "tags": [tag], "security": [{"bearerAuth": [scope]}]}
    return {**head, "responses": answers, **more}


def json_body(schema: str, example: Any) -> dict[str, Any]:
    content = {"schema": {"$ref": f"#/components/schemas/{schema}"}, "example": example}
    return {"required": True, "content": {"application/json": content}}


def failure(status: str, name: str) -> dict[str, Any]:
    example = {"success": False, "error": name, "code": name.lower(), "message": f"{name}, in a sentence."}
    schema = {"$ref": "#/components/schemas/Failure"}
    content = {"application/json": {"schema": schema, "example": example}}
    return {"description": f"What {status} means.", "content": content}


TIER = {
    "id": 3,
    "name": "Bronze",
    "description": None,
    "referrals_required": 5,
    "reward_type": "percentage_discount",
    "reward_value": "10.00",
    "is_active": True,
}
TIER_ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}, "example": 3}
PAGING = [
    {"$ref": "#/components/parameters/Page"},
    {
        "name": "per_page",
        "in": "query",
        "description": "Rows on a page.",
        "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 15},
    },
    {
        "name": "status",
        "in": "query",
        "description": "Only tiers in this state.",
        "schema": {"anyOf": [{"type": "string", "enum": ["active", "inactive"]}, NULL]},
        "example": "active",
    },
]
SCHEMAS: dict[str, Any] = {
    "Tier": {
        "type": "object",
        "required": ["id", "name"],
        "properties": {
            "id": {"type": "integer"},
            "name": {"type": "string"},
            "description": {"anyOf": [{"type": "string"}, NULL]},
            "reward_currency": {"type": ["string", "null"], "description": "Null for percentage tiers."},
        },
    },
    "CreateTier": {
        "type": "object",
        "required": ["name", "referrals_required", "reward_type", "reward_value"],
        "properties": {
            "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 255,
                "description": "Shown to **customers**.",
            },
            "referrals_required": {"type": "integer", "minimum": 1},
            "reward_type": {"type": "string", "enum": ["percentage_discount", "fixed_discount"]},
            "reward_value": {"anyOf": [{"type": "number", "minimum": 0.01}, {"type": "string"}]},
            "coupon_validity_days": {"type": "integer", "minimum": 1, "maximum": 365, "default": 30},
        },
    },
    "PlaceOrder": {
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {
                "type": "array",
                "minItems": 1,
                "maxItems": 50,
                "items": {"$ref": "#/components/schemas/Item"},
            },
            "customer": {"type": "object", "properties": {"email": {"type": "string", "format": "email"}}},
        },
    },
    "Item": {
        "type": "object",
        "required": ["product_id"],
        "properties": {
            "product_id": {"type": "integer"},
            "bundle": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}},
        },
    },
    "Failure": {"type": "object", "properties": {"success": {"const": False}, "message": {"type": "string"}}},
}


def sample() -> dict[str, Any]:
    tier = {"type": "object", "properties": {"data": {"$ref": "#/components/schemas/Tier"}}}
    tiers = {"type": "object", "properties": {"data": {"type": "array", "items": SCHEMAS["Tier"]}}}
    body = {
        "name": "Bronze",
        "referrals_required": 5,
        "reward_type": "percentage_discount",
        "reward_value": 10,
    }
    order = {"items": [{"product_id": 7, "note": "it's a gift"}], "customer": {"email": "ana@example.com"}}
    read, write = "referrals:read", "referrals:write"
    single, many = {"success": True, "data": TIER}, {"success": True, "data": [TIER]}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lootkeep External API",
            "version": "1.0.0",
            "description": "Referrals and **fraud** for `stores`.\n\n- 60 requests a minute\n- UTC only",
        },
        "tags": [
            {"name": "Referrals", "description": "Customers who bring customers."},
            {"name": "Store", "description": "What the shop itself calls."},
            {"name": "Empty", "description": "Nothing here."},
        ],
        "paths": {
            "/api/external/v1/referrals/tiers": {
                "get": operation(
                    "list_tiers", "List tiers", "Referrals", read, responses(many, tiers), parameters=PAGING
                ),
                "post": operation(
                    "create_tier",
                    "Create a tier",
                    "Referrals",
                    write,
                    responses({**single, "message": "Referral tier created successfully"}, tier, "201"),
                    requestBody=json_body("CreateTier", body),
                    description="The reward is fixed when it is claimed.",
                    **{"x-client-method": "referrals.tiers.create"},
                ),
            },
            "/api/external/v1/referrals/tiers/{id}": {
                "put": operation(
                    "update_tier",
                    "Update a tier",
                    "Referrals",
                    write,
                    responses(single, tier),
                    parameters=[TIER_ID],
                    requestBody=json_body("CreateTier", {"name": "Silver"}),
                ),
                "delete": operation(
                    "delete_tier",
                    "Delete a tier",
                    "Referrals",
                    write,
                    responses({"success": True}),
                    parameters=[TIER_ID],
                ),
            },
            "/api/store/v1/orders": {
                "post": operation(
                    "place_order",
                    "Place an order",
                    "Store",
                    "store",
                    responses({"success": True}, None, "201"),
                    requestBody=json_body("PlaceOrder", order),
                    **{"x-extension": True},
                ),
            },
            "/healthz": {"get": {"responses": {"200": {"description": "Alive."}}}},
        },
        "components": {
            "schemas": SCHEMAS,
            "parameters": {"Page": {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}},
            "responses": {name: failure(status, name) for status, name in SHARED.items()},
        },
    }
