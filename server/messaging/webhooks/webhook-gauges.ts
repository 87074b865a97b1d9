import { countWaitingDeliveries } from '../../catalog/events/webhook-deliveries.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { GaugeSource } from '../../platform/metrics/metrics.ts';
import { plainGauge } from '../../platform/metrics/plain-gauge.ts';
import { readAtMost } from '../../platform/metrics/read-at-most.ts';

/** Deliveries are counted at most this often, milliseconds: it reads all that wait. */
const maxAgeMs = 10_000;

const secondsSince = (time: string | null): number =>
  time === null ? 0 : Math.max(0, (Date.now() - Date.parse(time)) / 1000);

/** How many deliveries of webhooks wait, and for how long. Every process that shares a database reports the same. */
export function createWebhookGauges(db: Catalog): GaugeSource[] {
  const count = readAtMost(maxAgeMs, () => countWaitingDeliveries(db));
  return [
    {
      name: 'media_search_webhook_deliveries',
      help: 'Deliveries that wait: due, or under way and to be attempted again later.',
      labelNames: ['state'],
      read: async () => {
        const { due, scheduled } = await count();
        return [
          { labels: { state: 'due' }, value: due },
          { labels: { state: 'scheduled' }, value: scheduled },
        ];
      },
    },
    plainGauge(
      'media_search_oldest_webhook_delivery_age_seconds',
      'Time since the oldest event happened whose delivery waits; 0 when none waits.',
      async () => secondsSince((await count()).oldest),
    ),
    plainGauge(
      'media_search_webhook_delivery_overdue_seconds',
      'How long the delivery is due that has been due longest, of webhooks that do not fail; 0 when none is due.',
      async () => secondsSince((await count()).dueSince),
    ),
  ];
}
