import type { LabelMatch } from '@media-search/search-engine/text/label-names';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';
import { type RawBuilder, sql } from 'kysely';
import { packIntegers, unpackNumbers } from '../dialect/binary-arrays.ts';
import { labelTables, type LabelWithTerm, toLabelMatches } from '../labels/label-names.ts';
import { normaliseName } from '../labels/normalise-name.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';
import type { PostingBudget, PostingStore, StoredBlock, StoredQuery, StoredTerm } from './posting-store.ts';
import { catchUpTexts } from './write-texts.ts';

/** Above all letters of words. */
const lastLetter = '\u{10ffff}';

/** The index of texts of a workspace, as one search reads it. What a query begins with is one statement. */
export function openPostings(db: Catalog, workspaceId: string, signal?: AbortSignal): PostingStore {
  const store: PostingStore = {
    async openQuery(names, stems, budget) {
      const { isBehind, ...query } = await openQuery(db, workspaceId, names, stems, budget, signal);
      if (!isBehind) return query;
      await catchUpTexts(db, workspaceId);
      return store.openQuery(names, stems, budget);
    },

    readForms: (stems, budget) => readTerms(db, workspaceId, formsOf(workspaceId, stems), budget),

    readPrefixed(prefix, count, budget) {
      const prefixed = sql`
        select term from text_postings
        where workspace_id = ${workspaceId} and term >= ${prefix} and term < ${prefix + lastLetter}
        group by term order by sum(held) desc, term limit ${count}`;
      return readTerms(db, workspaceId, prefixed, budget);
    },

    async readBlocks(blocks) {
      const { rows } = await sql<StoredBlock>`
        select stored.term, stored.block, held, data
        from unnest(${blocks.map(({ term }) => term)}::text[], ${packIntegers(blocks.map(({ block }) => block))}::bigint[]) wanted (term, block)
        join text_postings stored on stored.workspace_id = ${workspaceId}
          and stored.term = wanted.term collate "C" and stored.block = wanted.block`.execute(db);
      return rows;
    },

    listNear: (word) => listNear(db, workspaceId, word),
    readTexts: (numbers) => readTexts(db, workspaceId, numbers),
    listLabelled: (labels, limit) => listLabelled(db, workspaceId, labels, limit),
  };
  return store;
}

/** The terms that have one of some stems. */
const formsOf = (workspaceId: string, stems: string[]): RawBuilder<unknown> => sql`
  select term from text_terms where workspace_id = ${workspaceId} and term = any(${stems}) and stem is null
  union all select term from text_terms where workspace_id = ${workspaceId} and stem = any(${stems}) and stem is not null`;

/**
 * A row for each term that is stored in any block, with arrays of all its blocks by falling number: there may be thousands. The terms are looked up one by one, so
 * that no plan reads the postings of all.
 */
const storedTerms = (workspaceId: string, { ofTerm, ofAll }: PostingBudget): RawBuilder<unknown> => sql`
  select asked.term, array_send(array_agg(block order by block desc)) as blocks,
    array_send(array_agg(held::bigint order by block desc)) as held,
    string_agg(data, '' order by block desc) filter (where before < least(${ofTerm}, ceil(${ofAll}::float8 / (select count(*) from asked)))) as data
  from asked cross join lateral (
    select block, held, data, sum(held) over (order by block desc) - held as before
    from text_postings where workspace_id = ${workspaceId} and text_postings.term = asked.term offset 0
  ) own
  group by asked.term`;

type ReadTerm = { term: string; blocks: Buffer; held: Buffer; data: Buffer };

const toStoredTerm = ({ term, blocks, held, data }: ReadTerm): StoredTerm => ({
  term,
  blocks: unpackNumbers(blocks),
  held: unpackNumbers(held),
  data,
});

async function readTerms(
  db: Catalog,
  workspaceId: string,
  asked: RawBuilder<unknown>,
  budget: PostingBudget,
): Promise<StoredTerm[]> {
  const { rows } = await sql<ReadTerm>`
    with asked as materialized (${asked}) ${storedTerms(workspaceId, budget)}`.execute(db);
  return rows.map(toStoredTerm);
}

type Opened = StoredQuery['totals'] & { isBehind: boolean; labels: LabelWithTerm[] };

async function openQuery(
  db: Catalog,
  workspaceId: string,
  names: string[],
  stems: string[],
  budget: PostingBudget,
  signal: AbortSignal | undefined,
): Promise<StoredQuery & { isBehind: boolean }> {
  const folded = names.map(normaliseName);
  // The row with `opened` is there once, others for each term.
  const { rows } = await sql<(ReadTerm & { opened: null }) | { term: null; opened: Opened }>`
    with asked as materialized (${formsOf(workspaceId, stems)})
    select null as term, null as blocks, null as held, null as data, json_build_object(
      'documents', (select coalesce(sum(documents), 0) from text_totals where workspace_id = ${workspaceId}),
      'length', (select coalesce(sum(length), 0) from text_totals where workspace_id = ${workspaceId}),
      'isBehind', exists (select from text_changes where workspace_id = ${workspaceId}),
      'labels', (select coalesce(json_agg(labels), '[]') from (${labelsNamed(workspaceId, folded)}) labels)
    ) as opened
    union all select stored.*, null from (${storedTerms(workspaceId, budget)}) stored
  `.execute(db, { signal, inflightQueryAbortStrategy: 'cancel query' });
  const terms: StoredTerm[] = [];
  let first: Opened | undefined;
  for (const row of rows) {
    if (row.term === null) first = row.opened;
    else terms.push(toStoredTerm(row));
  }
  const { documents, length, isBehind, labels } = first as Opened;
  return {
    isBehind,
    totals: { documents, length },
    labels: toLabelMatches(labels, folded),
    terms,
  };
}

/** The labels whose names hold one of some texts. */
const labelsNamed = (workspaceId: string, folded: string[]): RawBuilder<unknown> =>
  sql.join(
    labelTables.map(
      ([name, table]) => sql`
        select ${sql.lit(name)} as name, labels.id, labels.folded_name as "foldedName", (terms.place - 1)::integer as term
        from ${sql.table(table)} labels, unnest(${folded}::text[]) with ordinality terms (part, place)
        where labels.workspace_id = ${workspaceId} and strpos(labels.folded_name, terms.part) > 0`,
    ),
    sql` union all `,
  );

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
