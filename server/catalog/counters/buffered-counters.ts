import type { Workspace } from '../../../contract/workspace.ts';
import type { ApiKeyRow } from '../accounts/api-keys.ts';
import type { QuotaViolation } from '../accounts/quota.ts';
import type { ShareRow } from '../shares/shares.ts';

/** Counts the searches of each workspace. */
export type SearchCounter = {
  /** Counts a search when the plan allows one more this month (UTC). @returns the limit that is reached, else undefined */
  countIfAllowed(workspaceId: string): Promise<QuotaViolation | undefined>;
  /** The searches of a workspace this month (UTC), and its last 90 days on which something happened. */
  read(workspaceId: string): Promise<Pick<Workspace['usage'], 'searches_per_month' | 'history'>>;
  /** Stores what is not stored yet. */
  stop(): Promise<void>;
};

/** When each key was last used, to the minute. */
export type KeyUses = {
  /** Notes that a key was used now, unless a use within the last minute is known. */
  note(key: Pick<ApiKeyRow, 'id' | 'workspace_id' | 'last_used_at'>): void;
  stop(): Promise<void>;
};

/** How often each public link was opened. */
export type ShareViews = {
  note(share: Pick<ShareRow, 'id' | 'workspace_id'>): void;
  stop(): Promise<void>;
};

/** What requests leave behind. It is stored a moment later, see `late-writes.ts`. */
export type LateCounts = { searchCounter: SearchCounter; keyUses: KeyUses; shareViews: ShareViews };
