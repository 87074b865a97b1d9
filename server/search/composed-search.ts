import type { Translated } from '@media-search/languages/translate-query';
import type { WeightedPart } from '@media-search/search-engine/ranking/search-tasks';
import type { Conjunction, Expression } from '@media-search/search-engine/text/expression';
import {
  type Correction,
  type ForeignTerms,
  onlyExcludes,
  parseTextQuery,
  type TextQuery,
} from '@media-search/search-engine/text/text-query';
import { meanDirection } from '@media-search/search-engine/vectors';
import type { MediaFilter } from '../../contract/filters.ts';
import type { EmbeddedText } from './embed-text.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import {
  askTexts,
  askWithEmbedder,
  findHits,
  maxAttempts,
  type Parts,
  type TextSearchOptions,
  type TextSearchResult,
} from './find-hits.ts';
import { readWords, toPlaces, toQueryPart, type ViewQuery } from './query-parts.ts';
import type { QueryPart, SearchQuery } from './ranker.ts';

/** What is searched for: an expression in words, and beside its first step images. */
export type AskedExpression = {
  expression: Expression;
  /** What the first step is to be like besides: vectors of which one is enough, by an embedder; and the chunk that they are of, which is no hit. */
  like: { vectors: Float32Array[]; embedderId: string; leftOut: number[] } | null;
};

/**
 * What the likeness to an image counts beside words, of 1; and the sentence of several descriptions beside each of them by itself. Both chosen by `lab/bench/composed.ts`
 * on its development part: descriptions alone find "dog" and "snow" seldomer than the sentence "dog snow", all three together more often than either.
 */
const imageShare = 0.5;
const sentenceShare = 0.5;

/** A part as it is ranked, and what is said about it. */
type ReadPart = { part: QueryPart; embedded: EmbeddedText; translated: Translated[] };

/** Searches by an expression. Each of its parts is read, corrected and embedded as a search for it alone; what they have in common is ranked together. */
export async function searchByExpression(
  context: Parts,
  workspaceId: string,
  { expression, like }: AskedExpression,
  filter: MediaFilter,
  options: TextSearchOptions,
): Promise<TextSearchResult> {
  const { db, ranker } = context;
  const { count, dedupe, mediaId, signal } = options;
  for (let attempt = 1; ; attempt++) {
    const { isStale, ...found } = await askWithEmbedder(context, workspaceId, async (embedder) => {
      // Another model became active since the image was embedded.
      if (like && like.embedderId !== embedder.id) return null;
      const joined = { steps: expression.steps.map((alternatives) => alternatives.map(attachExclusions)) };
      const read = await readParts(context, workspaceId, embedder, joined, filter, options);
      if (!read) return null;
      const { parts, steps } = compose(read, joined, like?.vectors ?? [], toPlaces(options.places).sources);
      const text = joinTexts(read.map(({ part }) => part.text));
      const query = { parts, steps, within: expression.within, leftOut: like?.leftOut ?? [], filter, mediaId, signal };
      const rank = async (atLeast: SearchQuery['atLeast']) => {
        const ranked = await ranker.compose(workspaceId, embedder, { ...query, options: { count, dedupe }, atLeast });
        return ranked && { ...ranked, corrections: ranked.parts.flatMap((part) => part.corrections) };
      };
      const { sources } = toPlaces(options.places);
      const hits = await findHits(db, workspaceId, embedder, rank, { text, sources, filter }, options);
      return (
        hits && {
          ...hits,
          corrections: uniqueFrom(hits.corrections),
          embedder,
          text,
          views: toViews(parts, steps),
          ...joinEmbedded(read),
          translated: uniqueFrom(read.flatMap(({ translated }) => translated)),
        }
      );
    });
    if (isStale && attempt < maxAttempts) continue;
    return found;
  }
}

/** The descriptions of an alternative with what each counts, of 1: where there are several, also the sentence that they are together. */
function weighWords(words: Conjunction): { words: string; weight: number }[] {
  if (words.length <= 1) return words.map((each) => ({ words: each, weight: 1 }));
  const own = words.map((each) => ({ words: each, weight: (1 - sentenceShare) / words.length }));
  return [...own, { words: sentenceOf(words), weight: sentenceShare }];
}

const sentenceOf = (words: Conjunction): string => words.join(' ');

/** What only excludes is no description by itself: it excludes from the others of its alternative. */
function attachExclusions(words: Conjunction): Conjunction {
  const exclusions = words.filter((part) => onlyExcludes(parseTextQuery(part)));
  const others = words.filter((part) => !exclusions.includes(part));
  return others.length === 0 ? words : others.map((part) => [part, ...exclusions].join(' '));
}

/** The different parts of an expression in words, each once. Null when another embedder is active. */
async function readParts(
  context: Parts,
  workspaceId: string,
  embedder: QueryEmbedder,
  { steps }: Pick<Expression, 'steps'>,
  filter: MediaFilter,
  options: TextSearchOptions,
): Promise<(ReadPart & { words: string })[] | null> {
  const { places, timer } = options;
  const { isVisual, sources } = toPlaces(places);
  const read: (ReadPart & { words: string })[] = [];
  const alternatives = steps.flat();
  // Where an image alone is looked for, what must not be there is read all the same.
  const descriptions = alternatives.flat().length === 0 && options.without?.length ? [''] : alternatives.flat();
  for (const words of new Set(descriptions)) {
    const { text, isOpen, correct, translated, unknown } = await readWords(words, embedder, options);
    const evidence = isOpen ? await askTexts(context, workspaceId, embedder, text, filter, options) : undefined;
    if (evidence === null) return null;
    // What is typed last is the end of no description.
    const meant = { ...(evidence ? correct(evidence) : text), prefix: null };
    const { part, embedded } = await toQueryPart(embedder, meant, { isVisual, sources, timer });
    read.push({ words, part, translated, embedded: { ...embedded, unknown: [...unknown, ...embedded.unknown] } });
  }
  const textOf = new Map(read.map(({ words, part }) => [words, part.text]));
  for (const all of alternatives.filter((words) => words.length > 1 && !textOf.has(sentenceOf(words)))) {
    const text = joinTexts(all.map((words) => textOf.get(words) as TextQuery));
    textOf.set(sentenceOf(all), text);
    const { part, embedded } = await toQueryPart(embedder, text, { isVisual, sources, timer });
    read.push({ words: sentenceOf(all), part, translated: [], embedded: { ...embedded, unknown: [] } });
  }
  return read;
}

/**
 * The parts of a task and its steps. Each image joins each alternative of the first step, so that the most alike counts; the mean of its vector and the words' finds candidates
 * too, because what is nearest to that has the highest sum of similarities.
 */
function compose(
  read: (ReadPart & { words: string })[],
  { steps }: Pick<Expression, 'steps'>,
  images: Float32Array[],
  sources: QueryPart['sources'],
): { parts: QueryPart[]; steps: WeightedPart[][][] } {
  const places = new Map(read.map(({ words }, place) => [words, place]));
  const inWords = steps.map((alternatives) =>
    alternatives.map((all): WeightedPart[] =>
      weighWords(all).map(({ words, weight }) => ({ part: places.get(words) as number, weight })),
    ),
  );
  const bare = read.find(({ words }) => words === '')?.part;
  const nothing = bare ?? { meaning: null, excludedVectors: [], text: parseTextQuery(''), sources };
  const parts = [...read.map(({ part }) => part), ...images.map((vector) => ({ ...nothing, vector }))];
  if (images.length === 0) return { parts, steps: inWords };
  // An image alone is what is looked for where nothing is said.
  const [first = [[]], ...others] = inWords;
  const withImages = first.flatMap((words) =>
    images.map((_, image): WeightedPart[] => [
      ...words.map(({ part, weight }) => ({ part, weight: (1 - imageShare) * weight })),
      { part: read.length + image, weight: imageShare },
    ]),
  );
  const means = withImages.map((alternative) => {
    const vectors = alternative.flatMap(({ part }) => parts[part]?.vector ?? []);
    return { ...nothing, vector: meanDirection(vectors) };
  });
  return { parts: [...parts, ...means], steps: [withImages, ...others] };
}

/** Views of one moment are compared with all of its parts; of sequences, and where a part is in texts alone, none are. */
function toViews(parts: QueryPart[], steps: WeightedPart[][][]): ViewQuery {
  const [step = [], ...others] = steps;
  const alternatives = step.map((alternative) =>
    alternative.map(({ part, weight }) => ({ vector: parts[part]?.vector ?? null, weight })),
  );
  const compared = alternatives.flatMap((alternative) => {
    const vectors = alternative.flatMap(({ vector, weight }) => (vector ? [{ vector, weight }] : []));
    return vectors.length === alternative.length ? [vectors] : [];
  });
  const isWhole = others.length === 0 && compared.length === alternatives.length;
  const excluded = new Set(parts.flatMap(({ excludedVectors }) => excludedVectors));
  return { alternatives: isWhole ? compared : [], excluded: [...excluded] };
}

/** The words of all parts, by which passages are shown and notices are made. */
function joinTexts(texts: TextQuery[]): TextQuery {
  const all = <Value>(pick: (text: TextQuery) => Value[]) => [...new Set(texts.flatMap(pick))];
  const foreign = texts.flatMap((text) => text.foreign ?? []);
  return {
    visualText: texts.map(({ visualText }) => visualText).join(' '),
    terms: all(({ terms }) => terms),
    prefix: null,
    phrases: all(({ phrases }) => phrases),
    kept: all(({ kept }) => kept),
    corrections: all(({ corrections }) => corrections),
    isStrange: texts.every(({ isStrange }) => isStrange),
    ...(foreign[0] ? { foreign: joinForeign(foreign[0].language, foreign) } : {}),
    excluded: all(({ excluded }) => excluded),
    isCut: texts.some((text) => text.isCut),
  };
}

/** What is known of parts in another language: of several languages the first, by which words are stemmed. */
const joinForeign = (language: ForeignTerms['language'], parts: ForeignTerms[]): ForeignTerms => ({
  language,
  others: Object.assign({}, ...parts.map(({ others }) => others)) as ForeignTerms['others'],
  unseen: [...new Set(parts.flatMap(({ unseen }) => unseen))],
});

const joinEmbedded = (read: ReadPart[]): EmbeddedText => ({
  vector: null,
  unknown: [...new Set(read.flatMap(({ embedded }) => embedded.unknown))],
  problem: read.find(({ embedded }) => embedded.problem !== null)?.embedded.problem ?? null,
});

const uniqueFrom = (pairs: Correction[]): Correction[] => [...new Map(pairs.map((pair) => [pair.from, pair])).values()];
