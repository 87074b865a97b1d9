import { LRUCache } from 'lru-cache';
import { listLabelNames, listRecordedNames, type NamedValue } from '../../catalog/labels/known-names.ts';
import { readWorkspaceState } from '../../catalog/media/workspace-state.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { KnownName } from './condition.ts';
import { wordsOf } from './find-names.ts';

/** Workspaces whose names are kept. */
const maxWorkspaces = 200;
/** How long cameras and places are kept, which come with new items only, milliseconds. */
const recordedMs = 30_000;

/** Names by the words that they hold. */
type NamesByWord = ReadonlyMap<string, KnownName[]>;

const fieldOf = {
  creator_id: 'creator_id',
  category_id: 'category_id',
  collection_id: 'collection_ids',
  tag_id: 'tag_ids',
  camera: 'camera',
  place: 'place',
} as const;

function byWord(rows: NamedValue[]): NamesByWord {
  const names = new Map<string, KnownName[]>();
  for (const { parameter, value, name } of rows) {
    const known = { field: fieldOf[parameter], value, name };
    for (const word of new Set(wordsOf(name).map(({ text }) => text))) {
      const others = names.get(word);
      if (others) others.push(known);
      else names.set(word, [known]);
    }
  }
  return names;
}

/** Returns the function that gives the names of a workspace that a sentence holds a word of. Labels are those of this moment; cameras and places may be some seconds old. */
export function createKnownNames(db: Catalog): (workspaceId: string, sentence: string) => Promise<KnownName[]> {
  const labels = new LRUCache<string, { version: number; names: NamesByWord }>({ max: maxWorkspaces });
  const recorded = new LRUCache<string, NamesByWord>({
    max: maxWorkspaces,
    ttl: recordedMs,
    allowStale: true,
    fetchMethod: async (workspaceId) => byWord(await listRecordedNames(db, workspaceId)),
  });
  async function labelsOf(workspaceId: string): Promise<NamesByWord> {
    // Where no version counts, it is 0 at all times and says nothing.
    const { labels: version } = await readWorkspaceState(db, workspaceId);
    const present = labels.get(workspaceId);
    if (version !== 0 && present?.version === version) return present.names;
    const names = byWord(await listLabelNames(db, workspaceId));
    if (version !== 0) labels.set(workspaceId, { version, names });
    return names;
  }
  return async (workspaceId, sentence) => {
    const known = await Promise.all([labelsOf(workspaceId), recorded.fetch(workspaceId)]);
    const words = new Set(wordsOf(sentence).map(({ text }) => text));
    return [...new Set([...words].flatMap((word) => known.flatMap((names) => names?.get(word) ?? [])))];
  };
}
