import { type LabelMatch, standsIn } from '@media-search/search-engine/text/label-names';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { MediaFilter } from '../../../contract/filters.ts';
import { labelTables } from '../labels/label-names.ts';
import { normaliseName } from '../labels/normalise-name.ts';
import { filterConditions, isUnfiltered, notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';
import type { PostingStore, StoredBlock } from './posting-store.ts';
import { catchUpTexts } from './write-texts.ts';

/** Which chunks may be found. */
type ChunkScope = { filter: MediaFilter; mediaId?: string | undefined };

/** Above all letters of words. */
const lastLetter = '\u{10ffff}';

/** The index of texts of a workspace, as one search reads it. */
export function openPostings(db: Catalog, workspaceId: string, among: ChunkScope): PostingStore {
  const ofWorkspace = sql<SqlBool>`workspace_id = ${workspaceId}`;
  return {
    async readTotals() {
      const totals = await readTotals(db, workspaceId);
      if (!totals.isBehind) return totals;
      await catchUpTexts(db, workspaceId);
      return readTotals(db, workspaceId);
    },

    async listForms(stems) {
      const { rows } = await sql<{ term: string }>`
        select term from text_terms where ${ofWorkspace} and term = any(${stems}) and stem is null
        union all select term from text_terms where ${ofWorkspace} and stem = any(${stems}) and stem is not null`.execute(
        db,
      );
      return rows.map(({ term }) => term);
    },

    async listPrefixed(prefix) {
      const { rows } = await sql<{ term: string }>`
        select term from text_postings where ${ofWorkspace} and term >= ${prefix} and term < ${prefix + lastLetter}
        group by term order by sum(held) desc, term`.execute(db);
      return rows.map(({ term }) => term);
    },

    async readBlocks(terms, budget) {
      const { rows } = await sql<StoredBlock>`
        select term, block, held, case when before < ${budget} then data end as data from (
          select term, block, held, data, sum(held) over (partition by term order by block desc) - held as before
          from text_postings where ${ofWorkspace} and term = any(${terms})
        ) blocks order by term, block desc`.execute(db);
      return rows;
    },

    async readChosenBlocks(blocks) {
      const { rows } = await sql<StoredBlock>`
        select stored.term, stored.block, held, data
        from unnest(${blocks.map(({ term }) => term)}::text[], ${blocks.map(({ block }) => block)}::bigint[]) wanted (term, block)
        join text_postings stored on stored.workspace_id = ${workspaceId}
          and stored.term = wanted.term collate "C" and stored.block = wanted.block`.execute(db);
      return rows;
    },

    listNear: (word) => listNear(db, workspaceId, word),
    readTexts: (numbers) => readTexts(db, workspaceId, numbers),
    findLabels: (terms) => findLabels(db, workspaceId, terms),
    listLabelled: (labels, limit) => listLabelled(db, workspaceId, labels, limit),
    listPassing: (numbers) => listPassing(db, workspaceId, numbers, among),
  };
}

type Totals = { documents: number; length: number; isBehind: boolean };

async function readTotals(db: Catalog, workspaceId: string): Promise<Totals> {
  const { rows } = await sql<Totals>`
    select coalesce(sum(documents), 0) as documents, coalesce(sum(length), 0) as length,
      exists (select from text_changes where workspace_id = ${workspaceId}) as "isBehind"
    from text_totals where workspace_id = ${workspaceId}`.execute(db);
  return rows[0] as Totals;
}

/** Words that may differ from this one by one typing error, with the same first letter. */
async function listNear(db: Catalog, workspaceId: string, word: string): Promise<string[]> {
  const letters = Array.from(word);
  const half = letters.length >> 1;
  const [start, end] = [letters.slice(0, half).join(''), letters.slice(half + 1).join('')];
  // One error leaves either the first half as it is or what follows the middle.
  const { rows } = await sql<{ term: string }>`
    select term from text_terms
    where workspace_id = ${workspaceId} and term >= ${letters[0]} and term < ${`${letters[0]}${lastLetter}`}
      and length(term) between ${letters.length - 1} and ${letters.length + 1}
      and (starts_with(term, ${start}) or right(term, ${letters.length - half - 1}) = ${end})`.execute(db);
  return rows.map(({ term }) => term);
}

export async function readTexts(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
): Promise<(IndexedTexts | undefined)[]> {
  const { rows } = await sql<IndexedTexts & { number: number }>`
    select chunks.number, items.filename, items.tags, coalesce((
        select json_agg(json_build_object('source', segments.source, 'track', segments.track, 'text', segments.text)
          order by segments.start_time, segments.number)
        from chunk_segments links
        join text_segments segments on segments.workspace_id = links.workspace_id and segments.number = links.segment_number
        where links.workspace_id = chunks.workspace_id and links.chunk_number = chunks.number
      ), '[]') as texts
    from chunks join media_items items on items.workspace_id = chunks.workspace_id and items.id = chunks.media_id
    where chunks.workspace_id = ${workspaceId} and chunks.number = any(${numbers}::bigint[])`.execute(db);
  const found = new Map(rows.map(({ number, ...texts }) => [number, texts]));
  return numbers.map((number) => found.get(number));
}

async function findLabels(db: Catalog, workspaceId: string, terms: string[]): Promise<LabelMatch[]> {
  if (terms.length === 0) return [];
  const folded = terms.map(normaliseName);
  const { rows } = await sql<LabelMatch & { foldedName: string }>`${sql.join(
    labelTables.map(
      ([name, table]) => sql`
        select ${sql.lit(name)} as name, labels.id, labels.folded_name as "foldedName", (terms.place - 1)::integer as term
        from ${sql.table(table)} labels, unnest(${folded}::text[]) with ordinality terms (part, place)
        where labels.workspace_id = ${workspaceId} and strpos(labels.folded_name, terms.part) > 0`,
    ),
    sql` union all `,
  )}`.execute(db);
  return rows
    .filter(({ foldedName, term }) => standsIn(foldedName, folded[term] as string))
    .map(({ name, id, term }) => ({ name, id, term }));
}

async function listLabelled(db: Catalog, workspaceId: string, labels: LabelMatch[], limit: number): Promise<number[]> {
  const idsOf = (wanted: LabelMatch['name']) => labels.filter(({ name }) => name === wanted).map(({ id }) => id);
  const { rows } = await sql<{ number: number }>`
    select number from chunks
    where workspace_id = ${workspaceId} and media_id in (
      select id from media_items where workspace_id = ${workspaceId} and ${notInTrash} and (
        creator_id = any(${idsOf('creator_id')}) or category_id = any(${idsOf('category_id')})
        or id in (select media_id from collection_items
          where workspace_id = ${workspaceId} and collection_id = any(${idsOf('collection_id')}))
        or id in (select media_id from item_tags where workspace_id = ${workspaceId} and tag_id = any(${idsOf('tag_id')}))))
    order by number desc limit ${limit}`.execute(db);
  return rows.map(({ number }) => number);
}

async function listPassing(
  db: Catalog,
  workspaceId: string,
  numbers: Float64Array,
  { filter, mediaId }: ChunkScope,
): Promise<Set<number> | null> {
  if (mediaId === undefined && isUnfiltered(filter)) return null;
  const conditions: RawBuilder<SqlBool>[] = [notInTrash, ...filterConditions(db, workspaceId, filter, true)];
  if (mediaId !== undefined) conditions.push(sql<SqlBool>`media_items.id = ${mediaId}`);
  const { rows } = await sql<{ number: number }>`
    select chunks.number from chunks
    join media_items on media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id
    where chunks.workspace_id = ${workspaceId} and chunks.number = any(${Array.from(numbers)}::bigint[])
      and ${sql.join(conditions, sql` and `)}`.execute(db);
  return new Set(rows.map(({ number }) => number));
}
