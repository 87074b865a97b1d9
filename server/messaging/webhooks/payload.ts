import type { DeliveryRow } from '../../catalog/events/webhook-deliveries.ts';

/** The body of a delivery as Standard Webhooks writes it, JSON: the same bytes at each attempt. */
export const payloadOf = ({ type, created_at, data }: Pick<DeliveryRow, 'type' | 'created_at' | 'data'>): string =>
  `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(created_at)},"data":${data}}`;
