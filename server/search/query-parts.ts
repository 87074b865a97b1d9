import type { TranslatedQuery } from '@media-search/languages/translate-query';
import { readVocabulary } from '@media-search/models/builtin/read-vocabulary';
import { once } from '@media-search/models/once';
import { type CheckedQuery, checkQuery } from '@media-search/search-engine/spelling/correct-query';
import { loadSpelling } from '@media-search/search-engine/spelling/spelling';
import { maxExcluded, parseTextQuery, type TextQuery } from '@media-search/search-engine/text/text-query';
import { allSources, type SourceSet, toSourceSet } from '@media-search/search-engine/text/text-sources';
import { dot, meanDirection } from '@media-search/search-engine/vectors';
import type { SearchPlace } from '../../contract/search.ts';
import type { StageTimer } from '../platform/metrics/stage-timer.ts';
import { embedMeaning, embedText, type EmbeddedText } from './embed-text.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import type { QueryPart } from './ranker.ts';
import { translate, untranslated } from './translate.ts';

/** The word lists, read once for the process. */
const readSpelling = once(async () => loadSpelling(await readVocabulary()));

/** Where words are looked for, and how they are read. */
export type WordOptions = {
  /** Where to look; everywhere by default. */
  places?: SearchPlace[] | undefined;
  /** What hits must not show or say, besides what the query excludes. */
  without?: string[] | undefined;
  /** Whether words are searched for as they are written, also where they seem to have typing errors. */
  asWritten?: boolean | undefined;
};

/** Whether images are compared, and in which texts words are looked for. */
export const toPlaces = (places: SearchPlace[] | undefined): { isVisual: boolean; sources: SourceSet } => ({
  isVisual: places?.includes('visual') ?? true,
  sources: places ? toSourceSet(places.filter((place) => place !== 'visual')) : allSources,
});

/** A description in words, as far as it can be read without asking the texts of a workspace. */
export type ReadWords = CheckedQuery & Omit<TranslatedQuery, 'text'>;

/** Reads a description in words: its terms and exclusions, in English too, and what dictionaries know of its words. */
export async function readWords(
  words: string,
  embedder: QueryEmbedder,
  { places, without = [], asWritten }: WordOptions,
): Promise<ReadWords> {
  const parsed = parseTextQuery(words, { hasTexts: toPlaces(places).sources !== 0, asWritten });
  const named = without
    .map((phrase) => phrase.replaceAll(/^\s*-|["“”„]/gu, '').trim())
    .filter((phrase) => phrase !== '');
  const excluded = [...new Set([...parsed.excluded, ...named])].slice(0, maxExcluded);
  const spelling = await readSpelling();
  const written = { ...parsed, excluded };
  const { text, ...known } = asWritten
    ? untranslated(written)
    : await translate(written, words, { spelling, embedder: embedder.kind });
  return { ...known, ...checkQuery(text, spelling) };
}

/** What the views of a hit are compared with. */
export type ViewQuery = {
  /** Vectors that have to be there together, with weights that add up to 1; of several alternatives one is enough. None: nothing can be compared. */
  alternatives: { vector: Float32Array; weight: number }[][];
  /** Vectors of what is not to be there. */
  excluded: Float32Array[];
};

/** A search by one of several vectors. */
export const toViewQuery = (vectors: Float32Array[], excluded: Float32Array[] = []): ViewQuery => ({
  alternatives: vectors.map((vector) => [{ vector, weight: 1 }]),
  excluded,
});

/**
 * What a part of a search looks for, and what the embedder says of its words. A part that only excludes looks for what is least like that.
 * @param isVisual whether images are compared with the words
 * @param pictured what images are compared with where the words are not
 */
export async function toQueryPart(
  embedder: QueryEmbedder,
  text: TextQuery,
  {
    isVisual,
    sources,
    pictured = '',
    timer,
  }: { isVisual: boolean; sources: SourceSet; pictured?: string | undefined; timer: StageTimer },
): Promise<{ part: QueryPart; embedded: EmbeddedText }> {
  const embedded = await timer.time('embed', () => embedText(embedder, isVisual ? text.visualText : pictured));
  const excludedVectors = isVisual
    ? await timer.time('embed', () => embedExcluded(embedder, text, embedded.vector))
    : [];
  const meaning =
    sources === 0
      ? null
      : await timer.time('embed', () => embedMeaning(embedder, text.visualText, isVisual ? embedded : undefined));
  const onlyExcludes = text.visualText === '' && excludedVectors.length > 0;
  const vector = onlyExcludes ? meanDirection(excludedVectors).map((value) => -value) : embedded.vector;
  return { part: { vector, meaning, excludedVectors, text, sources }, embedded };
}

/** What is excluded is compared with images for the first few phrases only: each is embedded. The others count in texts. */
const maxComparedPhrases = 10;

/** Cosine from which on an excluded phrase is the query itself to the embedder. It would exclude all that is looked for, so it counts in texts only. */
const sameMeaning = 0.95;

/** Vectors of what hits must not show. Of what cannot be embedded, only the texts count. */
async function embedExcluded(
  embedder: QueryEmbedder,
  { excluded, foreign }: TextQuery,
  wanted: Float32Array | null,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  const seen = excluded.filter((phrase) => !foreign?.unseen.includes(phrase));
  for (const phrase of seen.slice(0, maxComparedPhrases)) {
    const { vector } = await embedText(embedder, phrase);
    if (vector && (!wanted || dot(vector, wanted) < sameMeaning)) vectors.push(vector);
  }
  return vectors;
}
