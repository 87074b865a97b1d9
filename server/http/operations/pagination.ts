import type { z } from 'zod';
import type { pageMeta } from '../../../contract/parameters.ts';

/** Where a page stands among all. */
export const toPageMeta = (
  { page, per_page }: { page: number; per_page: number },
  total: number,
): z.output<typeof pageMeta> => ({
  total,
  page,
  per_page,
  total_pages: Math.ceil(total / per_page),
  has_more: page * per_page < total,
});
