import type { ListedKey } from '../../../catalog/accounts/api-keys.ts';

/** A key as the dashboard shows it: without its secret. */
export const toApiKey = ({
  id,
  name,
  ending,
  person,
  created_at,
  last_used_at,
  expires_at,
  revoked_at,
}: ListedKey) => ({
  id,
  name,
  last_four: ending ?? '',
  created_by: person,
  created_at,
  last_used_at,
  expires_at,
  revoked_at,
});
