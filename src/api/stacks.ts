import { queryOptions } from '@tanstack/react-query';
import { listMediaOptions } from './generated/api/index.ts';

/** As many items of a stack as are shown: bursts have a dozen. */
const maxMembers = 100;

/** The items of a stack, the first taken in front. @param id of the item that is shown for them */
export const stackOptions = (id: string) =>
  queryOptions({
    ...listMediaOptions({ query: { stack_id: id, sort: 'taken_at', per_page: maxMembers } }),
    select: ({ data }) => data,
  });
