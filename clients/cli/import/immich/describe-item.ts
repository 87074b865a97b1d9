import { setHere } from '../../../../contract/media-details.ts';
import {
  type Client,
  createComment,
  getMedia,
  listComments,
  type MediaItem,
  paginate,
  updateMedia,
} from '../../../typescript/index.ts';
import { cut } from '../labels.ts';
import type { Asset } from './library.ts';

/** Longest comment, characters. */
const maxComment = 4000;

/** What an asset says beside its labels. */
const said = ['rating', 'date', 'description'] as const;
export type Said = (typeof said)[number];

/** What an asset says that its item has not been given yet. */
export const findUnsaid = ({ rating, taken, description }: Asset, done: string[]): Said[] =>
  said.filter(
    (each) =>
      !done.includes(each) && { rating: rating > 0, date: taken !== null, description: description !== '' }[each],
  );

/**
 * Gives an item what is said of it elsewhere: stars where it has none, its date where nobody set one, its description as a comment.
 * @returns what was changed
 * @throws ApiError
 */
export async function describeItem(
  asset: Asset,
  unsaid: Said[],
  item: MediaItem,
  client: Client,
  signal: AbortSignal,
): Promise<Said[]> {
  const body = {
    ...(unsaid.includes('rating') && item.rating === 0 ? { rating: asset.rating } : {}),
    ...(unsaid.includes('date') && asset.taken !== null && isOtherDate(item, asset.taken)
      ? { taken_at: asset.taken }
      : {}),
  };
  const changed: Said[] = [];
  if (Object.keys(body).length > 0) await updateMedia({ client, path: { id: item.id }, body, signal });
  if ('rating' in body) changed.push('rating');
  if ('taken_at' in body) changed.push('date');
  if (unsaid.includes('description') && (await comment(item.id, asset.description, client, signal)))
    changed.push('description');
  return changed;
}

/** The item as it is now. @throws ApiError */
export const readItem = async (id: string, client: Client, signal: AbortSignal): Promise<MediaItem> =>
  (await getMedia({ client, path: { id }, signal })).data;

/** Whether a date says something that the item does not, and that nobody decided. What its file says is known once it is indexed. */
function isOtherDate({ status, taken_at: at, capture }: MediaItem, taken: string): boolean {
  if (capture?.source === setHere) return false;
  const zone = /[+-]\d\d:\d\d$/.exec(taken)?.[0] ?? null;
  const instant = new Date(zone === null ? `${taken}Z` : taken).toISOString();
  return status !== 'complete' || at !== instant || (capture?.zone ?? null) !== zone;
}

/** @returns false where the item has this comment: a command was killed before it could note that */
async function comment(id: string, description: string, client: Client, signal: AbortSignal): Promise<boolean> {
  const text = cut(description, maxComment);
  const written = paginate(listComments, { client, path: { id }, query: { per_page: 100 }, signal });
  for await (const each of written) if (each.text === text) return false;
  await createComment({ client, path: { id }, body: { text }, signal });
  return true;
}
