import { pathBelow } from '../../../contract/map-path.ts';
import { ifSupported } from '../../shared/if-supported.ts';
import { type Client, listSourceFiles, listSources, paginate, type Source } from '../../typescript/index.ts';

/** What the service has of a file: its item; `waiting`: it will have one, a scan is under way; `none`. */
type InSource = { kind: 'item'; mediaId: string } | { kind: 'waiting' | 'none' };

/** Finds items by the paths of their files. */
export type Sources = { find: (file: string) => Promise<InSource> };

/** The sources of the workspace; a service without any has none of the files. */
export async function readSources(client: Client, signal: AbortSignal): Promise<Sources> {
  const sources = await ifSupported(listAll(client, signal), []);
  return {
    async find(file) {
      const [inner] = sources
        .flatMap((source) => {
          const path = pathBelow(file, source.location);
          return path === null || path === '' ? [] : [{ source, path }];
        })
        .toSorted((a, b) => a.path.length - b.path.length);
      return inner === undefined ? { kind: 'none' } : findFile(inner.source, inner.path, client, signal);
    },
  };
}

async function listAll(client: Client, signal: AbortSignal): Promise<Source[]> {
  const sources: Source[] = [];
  for await (const source of paginate(listSources, { client, query: { per_page: 100 }, signal })) sources.push(source);
  // The items of one that is being removed are about to go.
  return sources.filter(({ state }) => state !== 'removing');
}

/** Whether a scan may still find a file: the first did not end, or another is under way. */
const isUnfinished = ({ state, last_scan: last }: Source): boolean => last === null || state === 'scanning';

async function findFile(source: Source, path: string, client: Client, signal: AbortSignal): Promise<InSource> {
  const { data } = await listSourceFiles({ client, path: { id: source.id }, query: { path }, signal });
  const found = data.find((each) => each.path === path);
  if (found?.media_id) return { kind: 'item', mediaId: found.media_id };
  // Of a file that is known without an item somebody deleted that, or it cannot be indexed.
  return { kind: found === undefined && isUnfinished(source) ? 'waiting' : 'none' };
}
