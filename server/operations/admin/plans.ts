import {
  assignPlan,
  limitNames,
  listPlans,
  type Plan,
  savePlan,
  trafficLimitNames,
} from '../../catalog/accounts/plans.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Options } from './arguments.ts';
import { findNamedWorkspace } from './workspaces.ts';

/** `admin plan list`. */
export async function printPlans(db: Catalog): Promise<void> {
  for (const plan of await listPlans(db)) console.log(describePlan(plan));
}

/** `admin plan set`: creates a plan or changes the given limits. Throws `StartupError` when a limit is no number. */
export async function setPlan(db: Catalog, id: string, options: Options): Promise<void> {
  console.log(describePlan(await savePlan(db, id, readPlanChanges(options))));
}

/** `admin plan assign`. Throws `StartupError` when there is no such plan or workspace. */
export async function putOnPlan(db: Catalog, id: string, workspaceName: string | undefined): Promise<void> {
  const workspace = await findNamedWorkspace(db, workspaceName);
  if (!(await assignPlan(db, workspace.id, id))) {
    const plans = (await listPlans(db)).map((plan) => plan.id).join(', ');
    throw new StartupError(`There is no plan ${id}. There are: ${plans}.`);
  }
  console.log(`${workspace.name} is on the plan ${id}.`);
}

const toOption = (limit: string) => limit.replaceAll('_', '-') as 'storage-bytes' | 'uploads-at-once';

/** The options of `admin plan set`. */
export const planOptions = ['name' as const, ...[...limitNames, ...trafficLimitNames].map(toOption)];

function readPlanChanges(options: Options): Partial<Omit<Plan, 'id'>> {
  const changes: Partial<Omit<Plan, 'id'>> = options.name === undefined ? {} : { name: options.name };
  for (const limit of limitNames) {
    const option = toOption(limit);
    const value = options[option];
    if (value === undefined) continue;
    if (value !== 'unlimited' && !/^\d{1,15}$/.test(value)) {
      throw new StartupError(`--${option} must be a whole number or "unlimited".`);
    }
    changes[limit] = value === 'unlimited' ? null : Number(value);
  }
  for (const limit of trafficLimitNames) {
    const option = toOption(limit);
    const value = options[option];
    if (value === undefined) continue;
    if (value !== 'usual' && !/^[1-9]\d{0,5}$/.test(value)) {
      throw new StartupError(`--${option} must be a whole number from 1, or "usual".`);
    }
    changes[limit] = value === 'usual' ? null : Number(value);
  }
  return changes;
}

function describePlan(plan: Plan): string {
  const limits = limitNames.map((limit) => `${limit.replaceAll('_', ' ')} ${plan[limit] ?? 'unlimited'}`);
  const traffic = trafficLimitNames.flatMap((limit) =>
    plan[limit] === null ? [] : [`${limit.replaceAll('_', ' ')} ${plan[limit]}`],
  );
  return `${plan.id}  ${plan.name}  ${[...limits, ...traffic].join(', ')}`;
}
