import { setImmediate as nextTurn } from 'node:timers/promises';
import { stemOf } from '@media-search/search-engine/text/analyse-text';
import { buildTextSegment } from '@media-search/search-engine/text/build-segment';
import { type IndexedTexts, readTerm, termCount } from '@media-search/search-engine/text/text-segment';
import { sql } from 'kysely';
import { readItemsForIndex } from '../media/item-changes.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { blockOf, changeBlock, type Posting } from './posting-block.ts';

/** A chunk with the texts by which it is found. */
export type ChunkWithTexts = IndexedTexts & { number: number };

/** What the texts of chunks say: the postings of each term by ascending number, and the tokens of all. */
type AnalysedTexts = { postings: Map<string, Posting[]>; length: number };

/**
 * Splits the texts of chunks into terms, by the code that indexes them in memory where the catalog is in SQLite: so both rank alike.
 * Others have their turn every few milliseconds.
 * @param chunks by ascending number
 */
export async function analyseTexts(chunks: ChunkWithTexts[]): Promise<AnalysedTexts> {
  const steps = buildTextSegment(0, chunks);
  let step = steps.next();
  while (step.done !== true) {
    await nextTurn();
    step = steps.next();
  }
  const segment = step.value;
  const postings = new Map<string, Posting[]>();
  for (let term = 0; term < termCount(segment); term++) {
    const found: Posting[] = [];
    const end = segment.postingOffsets[term + 1] as number;
    for (let i = segment.postingOffsets[term] as number; i < end; i++) {
      const slot = segment.postingSlots[i] as number;
      found.push({
        number: (chunks[slot] as ChunkWithTexts).number,
        length: segment.lengths[slot] as number,
        weight: segment.postingWeights[i] as number,
        sources: segment.postingSources[i] as number,
      });
    }
    postings.set(readTerm(segment, term), found);
  }
  return { postings, length: segment.totalLength };
}

/** Items whose texts are indexed together. */
const itemsPerBatch = 50;

/** Items that a transaction indexes at its end, beside others that wait. The next one goes on, or the next search. */
const maxItems = 200;

/**
 * Indexes the texts of the items that changed. The transaction that changed them does it at its end, under the lock of their workspace, so that searches find
 * what is stored with the commit.
 */
export async function writeChangedTexts(transaction: Catalog, workspaceId: string): Promise<void> {
  for (let written = 0; written < maxItems; written += itemsPerBatch) {
    const { rows } = await sql<{ media_id: string }>`
      delete from text_changes where workspace_id = ${workspaceId} and media_id in (
        select media_id from text_changes where workspace_id = ${workspaceId} limit ${sql.lit(itemsPerBatch)})
      returning media_id`.execute(transaction);
    if (rows.length > 0) {
      await writeTexts(
        transaction,
        workspaceId,
        rows.map(({ media_id }) => media_id),
      );
    }
    if (rows.length < itemsPerBatch) return;
  }
}

/** Indexes what was changed without that: by single statements, or before there was an index. */
export async function catchUpTexts(db: Catalog, workspaceId: string): Promise<void> {
  while (await hasChangedTexts(db, workspaceId)) await inWorkspace(db, workspaceId, () => Promise.resolve());
}

/** Whether texts of a workspace are not indexed as they are. */
async function hasChangedTexts(db: Catalog, workspaceId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from text_changes where workspace_id = ${workspaceId} limit 1`.execute(db);
  return rows.length > 0;
}

/** What is indexed of an item. */
type IndexedItem = { media_id: string; chunks: number[]; terms: string[]; length: number };

/** What becomes of a term in a block. */
type BlockChange = { term: string; block: number; added: Posting[] };

async function writeTexts(db: Catalog, workspaceId: string, mediaIds: string[]): Promise<void> {
  const { rows: before } = await sql<IndexedItem>`
    delete from text_items where workspace_id = ${workspaceId} and media_id = any(${mediaIds})
    returning media_id, chunks, terms, length`.execute(db);
  const changes = createChanges();
  for (const { chunks, terms } of before) changes.remove(chunks.map(Number), terms);
  const after: IndexedItem[] = [];
  for (const { id, filename, tags, chunks } of await readItemsForIndex(db, workspaceId, mediaIds)) {
    if (chunks.length === 0) continue;
    const withTexts = chunks.map(({ number, texts }): ChunkWithTexts => ({ number, texts, filename, tags }));
    const analysed = await analyseTexts(withTexts);
    changes.add(analysed);
    const numbers = chunks.map(({ number }) => number);
    after.push({ media_id: id, chunks: numbers, terms: [...analysed.postings.keys()], length: analysed.length });
  }
  await writeBlocks(db, workspaceId, changes);
  await writeItems(db, workspaceId, after);
  const sum = (items: IndexedItem[], of: (item: IndexedItem) => number) =>
    items.reduce((total, item) => total + of(item), 0);
  const documents = sum(after, ({ chunks }) => chunks.length) - sum(before, ({ chunks }) => chunks.length);
  const length = sum(after, (item) => item.length) - sum(before, (item) => item.length);
  await sql`insert into text_totals as totals (workspace_id, documents, length)
    values (${workspaceId}, ${documents}, ${length}) on conflict (workspace_id) do update
    set documents = totals.documents + excluded.documents, length = totals.length + excluded.length`.execute(db);
}

type Changes = ReturnType<typeof createChanges>;

/** Gathers what changes of each term and block. */
function createChanges() {
  const removed = new Set<number>();
  const blocks = new Map<string, Map<number, BlockChange>>();
  const changeOf = (term: string, block: number): BlockChange => {
    const ofTerm = blocks.get(term) ?? new Map<number, BlockChange>();
    blocks.set(term, ofTerm);
    const change = ofTerm.get(block) ?? { term, block, added: [] };
    ofTerm.set(block, change);
    return change;
  };
  return {
    removed,
    list: (): BlockChange[] => [...blocks.values()].flatMap((ofTerm) => [...ofTerm.values()]),

    /** Removes the postings of some chunks, which some terms have. */
    remove(numbers: number[], terms: string[]): void {
      for (const number of numbers) removed.add(number);
      const places = [...new Set(numbers.map(blockOf))];
      for (const term of terms) for (const block of places) changeOf(term, block);
    },

    add({ postings }: AnalysedTexts): void {
      for (const [term, some] of postings) {
        for (const posting of some) changeOf(term, blockOf(posting.number)).added.push(posting);
      }
    },
  };
}

async function writeBlocks(db: Catalog, workspaceId: string, changes: Changes): Promise<void> {
  const list = changes.list();
  if (list.length === 0) return;
  const keys = sql`unnest(${list.map(({ term }) => term)}::text[], ${list.map(({ block }) => block)}::bigint[])`;
  const { rows } = await sql<{ place: number; data: Buffer }>`
    select place, data from ${keys} with ordinality wanted (term, block, place)
    join text_postings stored on stored.workspace_id = ${workspaceId}
      and stored.term = wanted.term collate "C" and stored.block = wanted.block`.execute(db);
  const stored = new Map(rows.map(({ place, data }) => [place - 1, data]));
  const written: { term: string; block: number; held: number; data: Buffer }[] = [];
  const emptied: BlockChange[] = [];
  const added = new Set<string>();
  for (const [place, change] of list.entries()) {
    const before = stored.get(place) ?? null;
    const after = changeBlock(change.block, before, changes.removed, change.added);
    if (after) written.push({ ...change, ...after });
    else if (before) emptied.push(change);
    if (after && !before) added.add(change.term);
  }
  await addTerms(db, workspaceId, [...added]);
  if (written.length > 0) {
    await sql`insert into text_postings (workspace_id, term, block, held, data)
      select ${workspaceId}, * from unnest(${written.map(({ term }) => term)}::text[], ${written.map(({ block }) => block)}::bigint[],
        ${written.map(({ held }) => held)}::integer[], ${written.map(({ data }) => data)}::bytea[])
      on conflict (workspace_id, term, block) do update set held = excluded.held, data = excluded.data`.execute(db);
  }
  if (emptied.length > 0) {
    await sql`delete from text_postings stored
      using unnest(${emptied.map(({ term }) => term)}::text[], ${emptied.map(({ block }) => block)}::bigint[]) emptied (term, block)
      where stored.workspace_id = ${workspaceId} and stored.term = emptied.term collate "C" and stored.block = emptied.block`.execute(
      db,
    );
  }
}

/** Adds to the terms of a workspace those that it lacks. None is removed: one that is in no block is found nowhere. */
async function addTerms(db: Catalog, workspaceId: string, terms: string[]): Promise<void> {
  if (terms.length === 0) return;
  const stems = terms.map((term) => (stemOf(term) === term ? null : stemOf(term)));
  await sql`insert into text_terms (workspace_id, term, stem)
    select ${workspaceId}, * from unnest(${terms}::text[], ${stems}::text[]) on conflict do nothing`.execute(db);
}

async function writeItems(db: Catalog, workspaceId: string, items: IndexedItem[]): Promise<void> {
  for (const { media_id, chunks, terms, length } of items) {
    await sql`insert into text_items (workspace_id, media_id, chunks, terms, length)
      values (${workspaceId}, ${media_id}, ${chunks}, ${terms}, ${length})`.execute(db);
  }
}
