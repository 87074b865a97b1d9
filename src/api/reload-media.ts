import type { QueryClient } from '@tanstack/react-query';
import { mediaKeys } from './queries.ts';

const tags = ['Media', 'Trash', 'Creators', 'Categories', 'Collections', 'Tags'];

/**
 * Reads again what shows items: lists, searches, counts, the items themselves. What is being read for the first time is given up before:
 * react-query would wait for that answer, which may be from before the change, and take it for the new state.
 */
export const reloadMedia = (client: QueryClient) =>
  Promise.all(
    [...tags.map((tag) => [{ tags: [tag] }]), ...mediaKeys].map(async (queryKey) => {
      await client.cancelQueries({ queryKey });
      await client.invalidateQueries({ queryKey });
    }),
  );
