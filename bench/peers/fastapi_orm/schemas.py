"""What the peer accepts and answers."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, IPvAnyAddress, model_validator

MAX_PERCENTAGE = Decimal(100)
CENT = Decimal("0.01")
EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"

Price = Annotated[Decimal, Field(strict=False, ge=0, max_digits=8, decimal_places=2)]
Word = Annotated[str, Field(min_length=1, max_length=255)]
Country = Annotated[str, Field(pattern="^[A-Z]{2}$")]
Data = TypeVar("Data")


class In(BaseModel):
    model_config = ConfigDict(strict=True)


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Answer(BaseModel, Generic[Data]):
    success: Literal[True] = True
    data: Data


class Changed(BaseModel, Generic[Data]):
    success: Literal[True] = True
    message: str
    data: Data


class Meta(BaseModel):
    current_page: int
    last_page: int
    per_page: int
    total: int


class Paged(BaseModel, Generic[Data]):
    success: Literal[True] = True
    data: list[Data]
    meta: Meta


class TierIn(In):
    name: Word
    description: Annotated[str | None, Field(max_length=1000)] = None
    referrals_required: Annotated[int, Field(ge=1)]
    reward_type: Literal["percentage_discount", "fixed_discount"]
    reward_value: Annotated[Decimal, Field(strict=False, ge=CENT, max_digits=12, decimal_places=2)]
    reward_currency: Annotated[str | None, Field(pattern="^[A-Z]{3}$")] = None
    coupon_validity_days: Annotated[int, Field(ge=1, le=365)] = 30
    is_active: bool = True
    sort_order: int = 0

    @model_validator(mode="after")
    def fit_reward(self) -> Self:
        if self.reward_type == "percentage_discount":
            if self.reward_value > MAX_PERCENTAGE:
                raise ValueError("A percentage is at most 100.")
            self.reward_currency = None
        elif self.reward_currency is None:
            self.reward_currency = "USD"
        self.reward_value = self.reward_value.quantize(CENT)
        return self


class TierOut(Out):
    id: int
    name: str
    description: str | None
    referrals_required: int
    reward_type: str
    reward_value: Decimal
    reward_currency: str | None
    coupon_validity_days: int
    is_active: bool
    sort_order: int
    formatted_reward: str
    claims_count: int
    created_at: datetime
    updated_at: datetime


class ProductIn(In):
    name: Word
    sku: Annotated[str | None, Field(min_length=1, max_length=64)] = None
    description: Annotated[str | None, Field(max_length=20_000)] = None
    delivery_type: Literal["keys", "file", "command", "manual", "gift_card"] = "manual"
    billing_type: Literal["one_time", "recurring"] = "one_time"
    billing_interval: Literal["day", "week", "month", "year"] | None = None
    billing_interval_count: Annotated[int | None, Field(ge=1, le=365)] = None
    status: Literal["draft", "active", "archived"] = "active"
    price: Price
    compare_at_price: Price | None = None
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "USD"
    stock: Annotated[int | None, Field(ge=0)] = None
    max_per_order: Annotated[int | None, Field(ge=1)] = None
    category: Word | None = None
    tags: Annotated[list[Word], Field(max_length=20)] = []
    image_url: HttpUrl | None = None
    custom: Annotated[dict[str, Any], Field(alias="metadata")] = {}


class ProductOut(Out):
    id: int
    name: str
    slug: str
    sku: str | None
    description: str | None
    delivery_type: str
    billing_type: str
    billing_interval: str | None
    billing_interval_count: int | None
    status: str
    price: Decimal
    compare_at_price: Decimal | None
    currency: str
    stock: int | None
    stock_status: str
    max_per_order: int | None
    category: str | None
    tags: list[str]
    image_url: str | None
    sales_count: int
    custom: Annotated[dict[str, Any], Field(serialization_alias="metadata")]
    created_at: datetime
    updated_at: datetime


class CustomerIn(In):
    email: Annotated[str, Field(max_length=255, pattern=EMAIL)]
    name: Word
    username: Word | None = None
    external_id: Word | None = None
    country: Country | None = None
    ip_address: IPvAnyAddress | None = None
    device_id: Word | None = None
    accepts_marketing: bool = False


class CustomerOut(Out):
    id: int
    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    status: str
    status_reason: str | None
    accepts_marketing: bool
    consent_given_at: datetime | None
    consent_withdrawn_at: datetime | None
    email_status: str
    referral_code: str
    referred_by: int | None
    orders_count: int
    total_spent: Decimal
    average_order_value: Decimal
    first_order_at: datetime | None
    last_order_at: datetime | None
    tags: list[str]
    note: str | None
    created_at: datetime
    updated_at: datetime
    erased_at: datetime | None


class SignedUp(Out):
    customer: CustomerOut
    referral: None = None
    welcome_coupon: None = None


class LineIn(In):
    product_id: Annotated[int, Field(ge=1)]
    quantity: Annotated[int, Field(ge=1, le=1000)]


class OrderIn(In):
    customer_id: Annotated[int, Field(ge=1)]
    items: Annotated[list[LineIn], Field(min_length=1, max_length=100)]
    ip_address: IPvAnyAddress
    billing_country: Country | None = None
    user_agent: Annotated[str | None, Field(max_length=2000)] = None
    device_id: Word | None = None
    external_id: Word | None = None
    custom: Annotated[dict[str, Any], Field(alias="metadata")] = {}


class PaymentIn(In):
    payment_method: Word | None = None
    transaction_id: Word | None = None


class OrderCustomer(Out):
    id: int
    name: str
    email: str


class ItemOut(Out):
    id: int
    product_id: int
    product_name: str
    sku: str | None
    quantity: int
    price: Decimal
    total: Decimal
    fulfilled_quantity: int


class OrderFraud(Out):
    check_id: int
    risk_score: int
    risk_level: str
    action_taken: str


class OrderOut(Out):
    id: int
    order_number: str
    status: str
    customer: OrderCustomer
    items: list[ItemOut]
    subtotal: Decimal
    discount_total: Decimal
    total: Decimal
    gift_card_total: Decimal
    amount_due: Decimal
    refunded_total: Decimal
    currency: str
    coupon_code: str | None
    referral_code: str | None
    payment_method: str | None
    transaction_id: str | None
    ip_address: str | None
    billing_country: str | None
    fraud: OrderFraud | None
    cancel_reason: str | None
    external_id: str | None
    custom: Annotated[dict[str, Any], Field(serialization_alias="metadata")]
    created_at: datetime
    updated_at: datetime
    paid_at: datetime | None
    completed_at: datetime | None
    cancelled_at: datetime | None
    refunded_at: datetime | None
    fulfillment_note: str | None


class CheckOut(Out):
    id: int
    risk_score: int
    risk_level: str
    action_taken: str
    detected_signals: list[str]


class Placed(Out):
    order: OrderOut
    next: Literal["pay"] = "pay"
    fraud_check: CheckOut
