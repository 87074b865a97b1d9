import type { Limits } from '../../contract/workspace.ts';

export type Plan = { id: string; name: string; limits: Limits };

const unlimited: Limits = { storage_bytes: null, media_items: null, indexed_seconds: null, searches_per_month: null };

/** The plan of every workspace for now: the disk is the limit. */
export const selfHostedPlan: Plan = { id: 'self-hosted', name: 'Self-hosted', limits: unlimited };
