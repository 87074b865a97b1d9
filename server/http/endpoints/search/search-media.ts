import {
  type Correction,
  maxExcluded,
  maxPhrases,
  maxTerms,
  type TextQuery,
  withoutQuotes,
} from '@media-search/search-engine/text/text-query';
import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { toSearchPlaces } from '../../../../contract/search.ts';
import type { QueryEmbedder } from '../../../search/embedding/text-embedders.ts';
import { createStageTimer } from '../../../search/stage-timer.ts';
import type { Dependencies } from '../../dependencies.ts';
import { consumeSearchQuota } from '../../limits/quota.ts';
import { type OperationInput, type OperationResult, serveOperation } from '../../operations/serve-operation.ts';
import {
  candidateCount,
  createHitMapper,
  describeRerank,
  describeWeakness,
  elapsedMs,
  rerankIfWanted,
  reportStages,
} from './search-response.ts';

const operation = operations.searchMedia;

/** `GET /media/search`. */
export function serveSearchMedia(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operation, (input) => searchMedia(dependencies, input), {
    kind: ({ rerank }) => (rerank ? 'rerank' : 'search'),
  });
}

async function searchMedia(
  dependencies: Dependencies,
  { workspaceId, query, request, reply, signal }: OperationInput<typeof operation>,
): Promise<OperationResult<typeof operation>> {
  const startedAt = performance.now();
  const timer = createStageTimer();
  await consumeSearchQuota(dependencies.searchCounter, request);
  const { q, n, dedupe, media_id: mediaId, as_written: asWritten } = query;
  const places = query.in === undefined ? undefined : toSearchPlaces(query.in);
  const isVisual = places?.includes('visual') ?? true;
  const rerank = isVisual ? (query.rerank ?? 'if cheap') : false;
  const options = { count: candidateCount(n, rerank), dedupe, timer, mediaId, places, asWritten, signal };
  const found = await dependencies.search.searchByText(workspaceId, q, query, options);
  const { unknown, problem, embedder, corrections, text } = found;
  if (problem !== null) request.log.error({ problem }, 'query not embedded');
  const searched = { ...found, vectors: found.vector ? [found.vector] : [] };
  const ranked = await rerankIfWanted(dependencies, { request, signal, timer }, rerank, q, searched);
  reportStages(dependencies, reply, timer);
  const hits = ranked.hits.slice(0, n);
  const lacksPhrase = hits.length === 0 && text.phrases.length > 0;
  const notices = [
    ...describeQuery(text, corrections),
    ...(lacksPhrase ? [describePhrases(text)] : []),
    ...describeGaps(found, places?.every((place) => place === 'visual') ?? false),
    ...describeWeakness(hits),
    ...(ranked.notice === null ? [] : [ranked.notice]),
    ...(query.rerank && !isVisual ? ['Not reranked: images were not searched.'] : []),
  ];
  return {
    data: hits.map(createHitMapper(dependencies, request)),
    meta: {
      query: q,
      n,
      took_ms: elapsedMs(startedAt),
      embedder: embedder.id,
      ...describeRerank(ranked),
      ...(notices.length > 0 ? { notice: notices.join(' ') } : {}),
      ...(corrections.length > 0 ? { corrections } : {}),
      ...(text.excluded.length > 0 ? { excluded: text.excluded } : {}),
      ...(lacksPhrase ? { suggested_query: withoutQuotes(q) } : {}),
      ...(unknown.length > 0 ? { unknown_terms: unknown } : {}),
    },
  };
}

/** Notices about what of the query was not used, and about words that no text holds and that are taken for typing errors. */
const describeQuery = ({ isCut, excluded }: TextQuery, corrections: Correction[]): string[] => [
  ...(isCut
    ? [`Of the query only the first ${maxTerms} words, ${maxPhrases} phrases and ${maxExcluded} exclusions are used.`]
    : []),
  ...(excluded.length > 0
    ? [`Left out: what says ${quoteAll(excluded)}, and what shows it as far as the model can tell.`]
    : []),
  ...corrections.map(({ from, to }) => `No text contains “${from}”. Showing results for “${to}” instead.`),
];

/** A notice about phrases that a hit must hold, where there is none. */
const describePhrases = ({ phrases }: TextQuery): string => `No text contains ${quoteAll(phrases)}, word for word.`;

const quoteAll = (words: string[]): string => words.map((word) => `“${word}”`).join(' and ');

/**
 * Notices about what was not searched for in images.
 * @param isVisualOnly whether it was not searched for in texts either
 */
function describeGaps(
  {
    unknown,
    problem,
    embedder: { vocabulary },
  }: { unknown: string[]; problem: string | null; embedder: QueryEmbedder },
  isVisualOnly: boolean,
): string[] {
  const rest = isVisualOnly ? 'not searched for, because texts are left out' : 'searched for in text only';
  const notices: string[] = [];
  if (unknown.length > 0) {
    const words = unknown.map((word) => `“${word}”`).join(', ');
    const model = vocabulary === null ? 'The model' : `The model knows ${vocabulary}. It`;
    notices.push(`${model} does not understand ${words}; ${rest}.`);
  }
  if (problem !== null) notices.push(`The model could not be run; ${rest}.`);
  return notices;
}
