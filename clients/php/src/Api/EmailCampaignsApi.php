<?php

declare(strict_types=1);

namespace Lootkeep\Api;

use Lootkeep\Core;
use Lootkeep\Pages;
use Lootkeep\Request;
use Lootkeep\Types;

/**
 * The methods of `$client->emailCampaigns`; written by `python -m tools.write_clients`.
 *
 * @phpstan-import-type AudienceBody from Types
 * @phpstan-import-type Campaign from Types
 * @phpstan-import-type CampaignList from Types
 * @phpstan-import-type CampaignStats from Types
 * @phpstan-import-type CampaignStatus from Types
 * @phpstan-import-type EmailPreview from Types
 * @phpstan-import-type RecipientsPreview from Types
 * @phpstan-import-type SortDirection from Types
 * @phpstan-import-type TestEmail from Types
 */
final class EmailCampaignsApi
{
    public function __construct(private readonly Core $core) {}

    /**
     * List campaigns.
     *
     * @param array{
     *     page?: int,
     *     per_page?: int,
     *     status?: CampaignStatus,
     *     search?: string,
     *     from?: string,
     *     to?: string,
     *     sort?: 'id'|'created_at'|'name',
     *     order?: SortDirection
     * } $query
     * @return Pages<CampaignList>
     */
    public function list(array $query = []): Pages
    {
        /** @var Pages<CampaignList> */
        return $this->core->pages('/api/external/v1/email-campaigns', query: $query);
    }

    /**
     * Create a campaign.
     *
     * @param array{
     *     name: string,
     *     subject: string,
     *     preview_text?: string|null,
     *     from_name?: string|null,
     *     reply_to?: string|null,
     *     body_html?: string|null,
     *     body_text?: string|null,
     *     body_markdown?: string|null,
     *     audience?: AudienceBody
     * } $body
     * @return Campaign
     */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        /** @var Campaign */
        return $this->core->data(Request::of('POST', '/api/external/v1/email-campaigns', body: $body, key: $idempotencyKey));
    }

    /**
     * Read a campaign.
     *
     * @return Campaign
     */
    public function get(int $emailCampaignId): array
    {
        /** @var Campaign */
        return $this->core->data(Request::of('GET', '/api/external/v1/email-campaigns/{id}', [$emailCampaignId]));
    }

    /**
     * Update a campaign.
     *
     * @param array{
     *     name?: string,
     *     subject?: string,
     *     preview_text?: string|null,
     *     from_name?: string|null,
     *     reply_to?: string|null,
     *     body_html?: string|null,
     *     body_text?: string|null,
     *     body_markdown?: string|null,
     *     audience?: AudienceBody
     * } $body
     * @return Campaign
     */
    public function update(int $emailCampaignId, array $body = []): array
    {
        /** @var Campaign */
        return $this->core->data(Request::of('PUT', '/api/external/v1/email-campaigns/{id}', [$emailCampaignId], body: $body));
    }

    /**
     * Delete a campaign.
     */
    public function delete(int $emailCampaignId): string
    {
        return $this->core->message(Request::of('DELETE', '/api/external/v1/email-campaigns/{id}', [$emailCampaignId]));
    }

    /**
     * Read campaign statistics.
     *
     * @return CampaignStats
     */
    public function stats(int $emailCampaignId): array
    {
        /** @var CampaignStats */
        return $this->core->data(Request::of('GET', '/api/external/v1/email-campaigns/{id}/stats', [$emailCampaignId]));
    }

    /**
     * Preview a campaign's recipients.
     *
     * @return RecipientsPreview
     */
    public function previewRecipients(int $emailCampaignId): array
    {
        /** @var RecipientsPreview */
        return $this->core->data(Request::of('GET', '/api/external/v1/email-campaigns/{id}/preview-recipients', [$emailCampaignId]));
    }

    /**
     * Preview a campaign's e-mail.
     *
     * @param array{
     *     customer_id?: int
     * } $query
     * @return EmailPreview
     */
    public function preview(int $emailCampaignId, array $query = []): array
    {
        /** @var EmailPreview */
        return $this->core->data(Request::of('GET', '/api/external/v1/email-campaigns/{id}/preview', [$emailCampaignId], query: $query));
    }

    /**
     * Send a test e-mail.
     *
     * @param array{
     *     email: string
     * } $body
     * @return TestEmail
     */
    public function test(int $emailCampaignId, array $body, ?string $idempotencyKey = null): array
    {
        /** @var TestEmail */
        return $this->core->data(Request::of('POST', '/api/external/v1/email-campaigns/{id}/test', [$emailCampaignId], body: $body, key: $idempotencyKey));
    }

    /**
     * Send or schedule a campaign.
     *
     * @param array{
     *     scheduled_at?: string|null
     * } $body
     * @return Campaign
     */
    public function send(int $emailCampaignId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Campaign */
        return $this->core->data(Request::of('POST', '/api/external/v1/email-campaigns/{id}/send', [$emailCampaignId], body: $body, key: $idempotencyKey));
    }

    /**
     * Cancel a campaign.
     *
     * @return Campaign
     */
    public function cancel(int $emailCampaignId, ?string $idempotencyKey = null): array
    {
        /** @var Campaign */
        return $this->core->data(Request::of('POST', '/api/external/v1/email-campaigns/{id}/cancel', [$emailCampaignId], key: $idempotencyKey));
    }

    /**
     * Duplicate a campaign.
     *
     * @param array{
     *     name?: string|null
     * } $body
     * @return Campaign
     */
    public function duplicate(int $emailCampaignId, array $body = [], ?string $idempotencyKey = null): array
    {
        /** @var Campaign */
        return $this->core->data(Request::of('POST', '/api/external/v1/email-campaigns/{id}/duplicate', [$emailCampaignId], body: $body, key: $idempotencyKey));
    }
}
