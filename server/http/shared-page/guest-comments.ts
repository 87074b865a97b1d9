import type { Comment } from '../../../contract/comments.ts';
import { createComment, listAllComments } from '../../catalog/comments/comments.ts';
import type { Counters } from '../../catalog/counters/rate-counters.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { countGuestComments, type ShareRow } from '../../catalog/shares/shares.ts';
import { networkOf } from '../protocol/requests.ts';

/** Most comments of the guests of one link, on all its items. */
const maxOfLink = 500;
const maxNameLength = 80;
const maxLength = 4000;

/** How many comments a network may write by one link, and all networks by it. */
export const createGuestLimits = (counters: Counters) => ({
  network: counters({ name: 'guest-network', limit: 10, windowSeconds: 600, whenAway: 'throw' }),
  link: counters({ name: 'guest-link', limit: 100, windowSeconds: 3600, whenAway: 'throw' }),
});

/** The comments that a link shows of an item. Of a moment those within it, with times of the clip: what is said of the rest stays out. */
export async function listShownComments(
  db: Catalog,
  { start_time: from, end_time: to }: ShareRow,
  { workspace_id, id }: MediaRow,
): Promise<Comment[]> {
  const comments = await listAllComments(db, workspace_id, id);
  if (from === null || to === null) return comments;
  const within = comments.filter(({ start }) => start !== null && start >= from && start <= to);
  const ids = new Set(within.map((comment) => comment.id));
  return [
    ...within.map((comment) => ({ ...comment, start: (comment.start ?? from) - from })),
    ...comments.filter(({ parent_id }) => parent_id !== null && ids.has(parent_id)),
  ];
}

/** The seconds of a clock such as `1:02.5`; null for no time. */
function readClock(text: string): number | null {
  const parts = text.trim().split(':');
  if (parts.length > 3 || !parts.every((part) => /^\d{1,5}(?:\.\d{1,3})?$/.test(part))) return null;
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

type Written = { name: string; text: string; at: string };

/** Stores what a guest wrote. @returns why it was refused, as a sentence; null where it was not */
export async function writeGuestComment(
  { db, limits }: { db: Catalog; limits: ReturnType<typeof createGuestLimits> },
  { share, media, ip }: { share: ShareRow; media: MediaRow; ip: string },
  written: Written,
): Promise<string | null> {
  const name = written.name.trim();
  const text = written.text.trim();
  if (name === '' || text === '') return 'Write your name and a comment.';
  if (Array.from(name).length > maxNameLength) return `A name may have ${maxNameLength} characters.`;
  if (Array.from(text).length > maxLength) return `A comment may have ${maxLength} characters.`;
  const start = toStart(share, media, written.at);
  if (typeof start === 'string') return start;
  for (const [counter, key] of [
    [limits.network, `${networkOf(ip)} ${share.id}`],
    [limits.link, share.id],
  ] as const) {
    if ((await counter.consume(key)).exceeded) return 'There were many comments within a short time. Try again later.';
  }
  if ((await countGuestComments(db, share)) >= maxOfLink) return 'This link takes no more comments.';
  const created = await createComment(db, media, { text, start }, { share_id: share.id, author_name: name });
  return typeof created === 'string' ? 'This item takes no more comments.' : null;
}

/** Where in the video a comment is, seconds; null: nowhere. A sentence where it cannot be there. */
function toStart({ start_time, end_time }: ShareRow, { type, duration }: MediaRow, at: string): number | null | string {
  if (type === 'image') return null;
  const from = start_time ?? 0;
  // Of a moment only what is said within it is shown.
  if (at.trim() === '') return start_time;
  const time = readClock(at);
  if (time === null) return 'Write the time like 0:12, minutes and seconds.';
  return from + time > (end_time ?? duration ?? 0) ? 'The video is shorter than that time.' : from + time;
}
