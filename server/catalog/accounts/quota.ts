import { sql } from 'kysely';
import type { ErrorDetail } from '../../../contract/errors.ts';
import type { Limits } from '../../../contract/workspace.ts';
import { ApiError } from '../../errors/api-error.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { readMediaUsage } from '../media/media-totals.ts';
import type { Catalog } from '../schema.ts';
import { findPlan } from './plans.ts';

/** A limit of the plan that would be exceeded. */
export type QuotaViolation = {
  plan: string;
  limit: keyof Limits;
  allowed: number;
  /** With what open uploads reserve. */
  used: number;
  reserved: number;
  requested: number;
};

/** What a plan leaves for one more item. */
export type UploadRoom = {
  /** Bytes that its file may have; null: no limit. */
  bytes: number | null;
  /** How many items may still be added; null: no limit. */
  items: number | null;
  /** The limit that a file of this size exceeds. @param size bytes; 0 when they are not known yet; null: they are not stored here */
  findViolation: (size: number | null) => QuotaViolation | undefined;
};

/**
 * Reads what the plan leaves for one more item. Only the read within the transaction that stores the item counts, so that uploads at the
 * same time cannot pass together; an earlier one spares the client the sending of a file that will be refused.
 * @param uploadId an open upload, whose reservation is for this file; null: none
 */
export async function readUploadRoom(
  db: Catalog,
  workspaceId: string,
  uploadId: string | null = null,
): Promise<UploadRoom> {
  const plan = await findPlan(db, workspaceId);
  if (plan.storage_bytes === null && plan.media_items === null && plan.indexed_seconds === null) {
    return { bytes: null, items: null, findViolation: () => undefined };
  }
  const used = await readMediaUsage(db, workspaceId);
  const reserved = await readReserved(db, workspaceId, uploadId);
  return {
    bytes: plan.storage_bytes === null ? null : Math.max(0, plan.storage_bytes - used.storage_bytes - reserved.bytes),
    items: plan.media_items === null ? null : Math.max(0, plan.media_items - used.media_items - reserved.items),
    findViolation: (size) =>
      findQuotaViolation(plan, 'media_items', used.media_items, 1, reserved.items) ??
      (size === null
        ? undefined
        : findQuotaViolation(plan, 'storage_bytes', used.storage_bytes, Math.max(size, 1), reserved.bytes)) ??
      findQuotaViolation(plan, 'indexed_seconds', used.indexed_seconds, Number.MIN_VALUE),
  };
}

/** Whether the plan has room for so many more seconds of video. */
export async function findDurationQuotaViolation(
  db: Catalog,
  workspaceId: string,
  seconds: number,
): Promise<QuotaViolation | undefined> {
  const plan = await findPlan(db, workspaceId);
  if (plan.indexed_seconds === null || seconds === 0) return undefined;
  const used = await readMediaUsage(db, workspaceId);
  return findQuotaViolation(plan, 'indexed_seconds', used.indexed_seconds, seconds);
}

/** Bytes and items that open uploads have a right to, but not those that have expired. @param except an upload that does not count */
export function readReserved(
  db: Catalog,
  workspaceId: string,
  except: string | null = null,
): Promise<{ bytes: number; items: number }> {
  return db
    .selectFrom('uploads')
    .select((e) => [
      e.fn.coalesce(e.fn.sum<number>('length'), sql.lit(0)).as('bytes'),
      e.fn.countAll<number>().as('items'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', dialectOf(db).timeIn(0))
    .$if(except !== null, (open) => open.where('id', '<>', except))
    .executeTakeFirstOrThrow();
}

/** Whether an additional amount exceeds a limit of the plan. @param reserved what open uploads have a right to, beside what is used */
export function findQuotaViolation<Limit extends keyof Limits>(
  plan: { name: string } & Pick<Limits, Limit>,
  limit: Limit,
  used: number,
  requested: number,
  reserved = 0,
): QuotaViolation | undefined {
  const allowed = plan[limit];
  return allowed !== null && used + reserved + requested > allowed
    ? { plan: plan.name, limit, allowed, used: used + reserved, reserved, requested }
    : undefined;
}

const unitNames: Record<keyof Limits, string> = {
  storage_bytes: 'bytes of storage',
  media_items: 'media items',
  indexed_seconds: 'seconds of indexed video',
  searches_per_month: 'searches a month',
};

/** The limit and its usage, as a sentence and as fields. */
export function describeQuotaViolation({ plan, limit, allowed, used, reserved, requested: wanted }: QuotaViolation): {
  message: string;
  details: ErrorDetail[];
} {
  const round = (value: number) => Math.round(value * 10) / 10;
  const open = reserved > 0 ? `, ${round(reserved)} of them by open uploads` : '';
  const more = wanted > 1 ? `; this needs ${round(wanted)} more` : '';
  return {
    message: `The plan ${plan} allows ${round(allowed)} ${unitNames[limit]}, and ${round(used)} are used${open}${more}.`,
    details: [{ path: `quota.${limit}`, message: `${round(used)} of ${round(allowed)} used` }],
  };
}

/** A refusal that names the limit of the plan and how much of it is used. */
export function quotaExceededError(violation: QuotaViolation): ApiError {
  const { message, details } = describeQuotaViolation(violation);
  return new ApiError('quota_exceeded', message, { details });
}
