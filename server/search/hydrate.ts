import type { RankedHit } from '@media-search/search-engine/ranking/search-tasks';
import {
  findMatches,
  type MatchedPassage,
  type WantedPassages,
  toWantedPassages,
} from '@media-search/search-engine/text/find-matches';
import type { Correction, TextQuery } from '@media-search/search-engine/text/text-query';
import { allSources, holdsSource, sourceBit, type SourceSet } from '@media-search/search-engine/text/text-sources';
import type { MediaFilter } from '../../contract/filters.ts';
import type { TextBox } from '../../contract/texts.ts';
import { type NameOfItem, readNamesOfItems } from '../catalog/labels/names-of-items.ts';
import { type ChunkTexts, findChunksWithTexts, type FoundChunk } from '../catalog/media/chunks.ts';
import { readWorkspaceState, type WorkspaceState } from '../catalog/media/workspace-state.ts';
import type { Catalog } from '../catalog/schema.ts';
import { readPassages } from '../catalog/texts/passages.ts';
import type { EngineHit } from './hits.ts';
import { withMeant } from './meant-match.ts';

type Options = {
  filter: MediaFilter;
  count: number;
  text: TextQuery;
  /** Where words were looked for. */
  sources: SourceSet;
  corrections: Correction[];
  /** Whether the name of a label holds a term. */
  isLabelled: boolean;
};

/**
 * Reads what the first hits show from the catalog, with the passages that matched. Those that were deleted or no longer pass the filter at this moment
 * are left out, and the next ones take their places. Of items that stand together as one only the best is a hit.
 * @returns `isStale`: some were deleted, or indexed again under other numbers, since they were ranked; `state`: of the workspace when the first were read
 */
export async function hydrate(
  db: Catalog,
  workspaceId: string,
  ranked: RankedHit[],
  options: Options,
): Promise<{ hits: EngineHit[]; isStale: boolean; state: WorkspaceState }> {
  const hits: EngineHit[] = [];
  const wanted = toWantedPassages(options.text, options.corrections);
  let state: WorkspaceState | undefined;
  let place = 0;
  let folded = 0;
  const items = new Map<string, string>();
  /** Whether no other item of its stack is a hit. */
  const isFirst = ({ chunk: { stack_id: stack, media_id: id } }: EngineHit): boolean => {
    if (stack !== null && !items.has(stack)) items.set(stack, id);
    return stack === null || items.get(stack) === id;
  };
  while (place < ranked.length && hits.length < options.count) {
    const next = ranked.slice(place, place + options.count - hits.length);
    const read = await readHits(db, workspaceId, next, { ...options, wanted });
    const shown = read.hits.filter(isFirst);
    folded += read.hits.length - shown.length;
    hits.push(...shown);
    state ??= read.state;
    place += next.length;
  }
  return { hits, isStale: hits.length + folded < place, state: state ?? (await readWorkspaceState(db, workspaceId)) };
}

async function readHits(
  db: Catalog,
  workspaceId: string,
  ranked: RankedHit[],
  options: Options & { wanted: WantedPassages },
): Promise<{ hits: EngineHit[]; state: WorkspaceState }> {
  const numbers = ranked.flatMap(({ number, duplicates = [], steps = [] }) => [
    number,
    ...duplicates,
    ...steps.map((step) => step.number),
  ]);
  const withTexts = ranked.filter(({ text }) => text !== undefined).map(({ number }) => number);
  const { found: rows, state } = await findChunksWithTexts(db, workspaceId, numbers, options.filter, withTexts);
  const chunks = new Map(rows.map((row) => [row.chunk.number, row]));
  const items = withTexts.flatMap((number) => chunks.get(number)?.chunk.media_id ?? []);
  const passages = await readPassages(
    db,
    workspaceId,
    ranked.flatMap(({ meant }) => meant ?? []),
  );
  const names = options.isLabelled ? await readNamesOfItems(db, workspaceId, items) : null;
  const hits = ranked.flatMap(({ number, score, weak, visual, text, meant, duplicates, steps }): EngineHit[] => {
    const found = chunks.get(number);
    const read = steps?.flatMap((step) => {
      const chunk = chunks.get(step.number)?.chunk;
      return chunk ? [{ chunk, score: step.score }] : [];
    });
    // Of a sequence that lacks a step nothing is left.
    if (!found || read?.length !== steps?.length) return [];
    const byWords = text ? matchTexts(found, names?.get(found.chunk.media_id) ?? [], options) : [];
    const matches = withMeant(passages.get(meant ?? 0), byWords);
    const signals = {
      ...(visual === undefined ? {} : { visual }),
      ...(text ? { text: text.relevance, terms: text.terms } : {}),
      ...(matches[0] ? { excerpt: matches[0].excerpt, matches } : {}),
    };
    const others = duplicates?.flatMap((other) => chunks.get(other)?.chunk ?? []);
    return [
      {
        chunk: found.chunk,
        score,
        weak,
        signals,
        ...(read ? { steps: read } : {}),
        ...(others ? { duplicates: others } : {}),
      },
    ];
  });
  return { hits, state };
}

/** The passages of a hit that matched, among the sources in which words were looked for. */
function matchTexts(
  { chunk: { filename }, texts: { segments, tags } }: { chunk: FoundChunk; texts: ChunkTexts },
  names: NameOfItem[],
  { sources, wanted }: Pick<Options, 'sources'> & { wanted: WantedPassages },
): MatchedPassage[] {
  const isWanted = ({ source }: Pick<NameOfItem, 'source'>) => sources === allSources || holdsSource(sources, source);
  const lines = segments
    .filter(isWanted)
    // The lines of a source and track one after the other, in order of time.
    .toSorted((a, b) => sourceBit(a.source) - sourceBit(b.source) || (a.track ?? 0) - (b.track ?? 0));
  const found = {
    segments: lines.map(({ source, track, start_time: start, end_time: end, language, box, confidence, text }) => ({
      source,
      track,
      start,
      end,
      language,
      box: box === null ? null : (JSON.parse(box) as TextBox),
      confidence,
      text,
    })),
    filename: holdsSource(sources, 'filename') ? filename : null,
    tags: holdsSource(sources, 'tag') ? tags : null,
    names: names.filter(isWanted),
  };
  return findMatches(found, wanted);
}
