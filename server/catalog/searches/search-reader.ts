import type { SearchReader } from '@media-search/search-engine/ranking/search-tasks';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';
import SQLite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { CatalogLocation } from '../../platform/storage/data-directory.ts';
import {
  findHolding,
  labelTables,
  type LabelWithTerm,
  type NamedLabel,
  toLabelMatches,
} from '../labels/label-names.ts';
import { normaliseName } from '../labels/normalise-name.ts';

/** The names of a workspace are kept where there are at most so many: to look at each takes as long as to ask the database. */
const maxKeptNames = 500;
/** Workspaces whose names are kept. */
const maxKeptWorkspaces = 1000;

/** The names of labels of a workspace; null: they are too many. */
type KeptNames = NamedLabel[] | null;

/**
 * Opens what a search thread reads of a catalog that is open in this process already.
 * Throws `SqliteError` or `StartupError` when it cannot be opened.
 */
export async function openSearchReader(location: CatalogLocation): Promise<SearchReader> {
  if ('file' in location) return openFileReader(location.file);
  const { openPostgresSearchReader } = await import('../postgres/search-reader.ts');
  return openPostgresSearchReader(location.url);
}

/** Reads at once, on the calling thread, which has to have nothing else to do. */
function openFileReader(file: string): SearchReader {
  const sqlite = new SQLite(file, { readonly: true });
  const selectTexts = sqlite.prepare<[string], { number: number; filename: string; tags: string; texts: string }>(`
    select chunks.number, media_items.filename, media_items.tags, (
        select json_group_array(
          json_object('source', segments.source, 'track', segments.track, 'text', segments.text)
          order by segments.start_time, segments.number
        )
        from chunk_segments links cross join text_segments segments on segments.number = links.segment_number
        where links.chunk_number = chunks.number
      ) as texts
    from chunks join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id
    where chunks.number in (select value from json_each(?))`);
  const selectLabels = sqlite.prepare<{ workspaceId: string; terms: string }, LabelWithTerm>(
    labelTables
      .map(
        ([name, table]) => `
          select '${name}' as name, labels.id, labels.folded_name as foldedName, terms.key as term
          from ${table} labels, json_each(@terms) terms
          where labels.workspace_id = @workspaceId and instr(labels.folded_name, terms.value) > 0`,
      )
      .join(' union all '),
  );
  const readNames = keepNames(sqlite);
  return {
    readTexts(_workspaceId, numbers) {
      const rows = selectTexts.all(JSON.stringify(numbers));
      const found = new Map(
        rows.map((row) => [row.number, { ...row, texts: JSON.parse(row.texts) as IndexedTexts['texts'] }]),
      );
      return numbers.map((number) => found.get(number));
    },

    findLabels(workspaceId, terms) {
      if (terms.length === 0) return [];
      const folded = terms.map(normaliseName);
      const names = readNames(workspaceId);
      const holding = names
        ? findHolding(names, folded)
        : selectLabels.all({ workspaceId, terms: JSON.stringify(folded) });
      return toLabelMatches(holding, folded);
    },
  };
}

/** Returns the function that gives the names of a workspace as of this moment. */
function keepNames(sqlite: SQLite.Database): (workspaceId: string) => KeptNames {
  const selectNames = sqlite.prepare<{ workspaceId: string; limit: number }, NamedLabel>(
    `${labelTables
      .map(
        ([name, table]) =>
          `select '${name}' as name, id, folded_name as foldedName from ${table} where workspace_id = @workspaceId`,
      )
      .join(' union all ')} limit @limit`,
  );
  // Grows with each commit of another connection, and is read in microseconds.
  const selectVersion = sqlite.prepare('pragma data_version').pluck();
  let version: unknown;
  const kept = new LRUCache<string, { names: KeptNames }>({ max: maxKeptWorkspaces });

  return (workspaceId) => {
    const now = selectVersion.get();
    if (now !== version) kept.clear();
    version = now;
    const known = kept.get(workspaceId);
    if (known) return known.names;
    const read = selectNames.all({ workspaceId, limit: maxKeptNames + 1 });
    const names = read.length > maxKeptNames ? null : read;
    kept.set(workspaceId, { names });
    return names;
  };
}
