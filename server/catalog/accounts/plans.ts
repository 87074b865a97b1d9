import type { Selectable } from 'kysely';
import type { Limits } from '../../../contract/workspace.ts';
import type { Catalog, Database } from '../schema.ts';
import type { TrafficLimits } from '../tables/accounts.ts';

export type Plan = Selectable<Database['plans']>;

/** The plan of a new workspace. It has no limits unless the operator sets some. */
export const defaultPlanId = 'self-hosted';

export const limitNames = ['storage_bytes', 'media_items', 'indexed_seconds', 'searches_per_month'] as const;

export const pickLimits = ({ storage_bytes, media_items, indexed_seconds, searches_per_month }: Plan): Limits => ({
  storage_bytes,
  media_items,
  indexed_seconds,
  searches_per_month,
});

const trafficLimits: Record<keyof TrafficLimits, true> = {
  requests_per_minute: true,
  requests_at_once: true,
  searches_at_once: true,
  reranks_at_once: true,
  image_searches_at_once: true,
  uploads_at_once: true,
  imports_at_once: true,
  agents_at_once: true,
};

export const trafficLimitNames = Object.keys(trafficLimits) as (keyof TrafficLimits)[];

/** The plan of a workspace that exists. */
export function findPlan(db: Catalog, workspaceId: string): Promise<Plan> {
  return db
    .selectFrom('plans')
    .innerJoin('workspaces', 'workspaces.plan_id', 'plans.id')
    .where('workspaces.id', '=', workspaceId)
    .selectAll('plans')
    .executeTakeFirstOrThrow();
}

export function listPlans(db: Catalog): Promise<Plan[]> {
  return db.selectFrom('plans').selectAll().orderBy('id').execute();
}

/** Creates a plan or changes the given limits of one. It applies to its workspaces at once, a limit of searches within a second. */
export async function savePlan(db: Catalog, id: string, changes: Partial<Omit<Plan, 'id'>>): Promise<Plan> {
  const newPlan: Plan = {
    id,
    name: id,
    storage_bytes: null,
    media_items: null,
    indexed_seconds: null,
    searches_per_month: null,
    ...(Object.fromEntries(trafficLimitNames.map((name) => [name, null])) as TrafficLimits),
  };
  return db
    .insertInto('plans')
    .values({ ...newPlan, ...changes })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ id, ...changes }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Assigns a plan to a workspace. False when there is no such plan. */
export async function assignPlan(db: Catalog, workspaceId: string, planId: string): Promise<boolean> {
  const plan = await db.selectFrom('plans').select('id').where('id', '=', planId).executeTakeFirst();
  if (!plan) return false;
  await db.updateTable('workspaces').set({ plan_id: planId }).where('id', '=', workspaceId).execute();
  return true;
}
