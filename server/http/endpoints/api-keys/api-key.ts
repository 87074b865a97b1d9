import type { ApiKeyRow } from '../../../catalog/api-keys.ts';

/** A key as the dashboard shows it: without its secret. */
export const toApiKey = ({ id, name, ending, created_at, last_used_at, expires_at, revoked_at }: ApiKeyRow) => ({
  id,
  name,
  last_four: ending ?? '',
  created_at,
  last_used_at,
  expires_at,
  revoked_at,
});
