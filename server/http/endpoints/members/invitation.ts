import type { InvitationRow } from '../../../catalog/accounts/invitations.ts';

/** An open invitation as the dashboard shows it: without its token. */
export const toInvitation = ({ id, role, invited_by, created_at, expires_at }: InvitationRow) => ({
  id,
  role,
  invited_by,
  created_at,
  expires_at,
});
