import type { SavedView } from '../../api/saved-searches.ts';
import { toParameters } from '../../lib/saved-parameters.ts';
import { paths } from '../../paths.ts';

const pageOf: Record<string, SavedView['page']> = {
  [paths.library]: 'library',
  [paths.search]: 'search',
  [paths.highlights]: 'highlights',
};

/** Parameters that say what is open at the moment, not what is looked for. */
const passing = new Set(['hit', 't', 'similar', 'box']);

/** What can be saved of a URL: its page and parameters. Null for other pages, and for an image that only this browser has. */
export function readView(pathname: string, search: URLSearchParams): SavedView | null {
  const page = pageOf[pathname];
  if (!page || search.has('image')) return null;
  const kept = [...search].filter(([name, value]) => value !== '' && !passing.has(name));
  return { page, parameters: toParameters(page, new URLSearchParams(kept)) };
}

/** Whether new items can be compared with a view: a search by words or by an item. */
export const canNotify = ({ page, parameters: { q, media_id } }: SavedView): boolean =>
  page === 'search' && (q ?? media_id) !== undefined;

/** Whether two views are the same, in whatever order their parameters are. */
export const isSameView = (a: SavedView | null, b: SavedView): boolean =>
  a !== null && a.page === b.page && sorted(a) === sorted(b);

const sorted = ({ parameters }: SavedView): string =>
  JSON.stringify(Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
