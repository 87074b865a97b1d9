import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { getMedia, listMedia, type MediaItem } from './generated/index.ts';

/** What a service says of items. */
type States = {
  items: MediaItem[];
  /** Identifiers of those that are gone. */
  missing: string[];
};

/** Items in a request, the most that a page has. */
const batchSize = 100;
/** Items that are read one by one in a turn, of a service that has no list of identifiers: the first ones, which are indexed next. */
const maxSingle = 20;

/** Reads items by their identifiers. Of a service that gives them one by one only the first are read. */
export async function readStates(client: Client, ids: readonly string[], signal?: AbortSignal): Promise<States> {
  const states: States = { items: [], missing: [] };
  for (let i = 0; i < ids.length; i += batchSize) {
    const batch = ids.slice(i, i + batchSize);
    const { data } = await listMedia({
      client,
      query: { ids: batch.join(','), per_page: batchSize },
      ...(signal && { signal }),
    });
    // A service that does not have the parameter lists whatever it has.
    if (data.some(({ id }) => !batch.includes(id))) return readEach(client, ids.slice(0, maxSingle), signal);
    const present = new Set(data.map(({ id }) => id));
    states.items.push(...data);
    states.missing.push(...batch.filter((id) => !present.has(id)));
  }
  return states;
}

async function readEach(client: Client, ids: readonly string[], signal?: AbortSignal): Promise<States> {
  const states: States = { items: [], missing: [] };
  for (const id of ids) {
    try {
      states.items.push((await getMedia({ client, path: { id }, ...(signal && { signal }) })).data);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      states.missing.push(id);
    }
  }
  return states;
}
