import type { Translated } from '@media-search/languages/translate-query';
import {
  descriptionOf,
  type Expression,
  maxParts,
  maxSteps,
  toExpression,
} from '@media-search/search-engine/text/expression';
import {
  type Correction,
  maxExcluded,
  maxPhrases,
  maxTerms,
  type TextQuery,
  withoutQuotes,
} from '@media-search/search-engine/text/text-query';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toConditionFields } from '../../../contract/conditions.ts';
import { type Clip } from '../../../contract/highlights.ts';
import { operations } from '../../../contract/operations.ts';
import { type SearchHit, type SearchPlace, toSearchPlaces } from '../../../contract/search.ts';
import { findChunksById } from '../../catalog/media/chunks.ts';
import { pickFilter } from '../../catalog/media/media-filter.ts';
import { readStacks, toStack } from '../../catalog/media/stacks.ts';
import { createStageTimer, type StageTimer } from '../../platform/metrics/stage-timer.ts';
import { readConditions } from '../../search/conditions/apply-conditions.ts';
import { createKnownNames } from '../../search/conditions/known-names.ts';
import type { QueryEmbedder } from '../../search/embedding/text-embedders.ts';
import { type EngineHit, endOf } from '../../search/hits.ts';
import type { RerankResult } from '../../search/rerank/rerank-hits.ts';
import { searchByExpression, searchByImage, searchByText } from '../../search/rerank/search-and-rerank.ts';
import type { Dependencies } from '../dependencies.ts';
import { withoutSlot } from '../limits/concurrency-limit.ts';
import { consumeSearchQuota } from '../limits/rate-limit.ts';
import { type OperationInput, type OperationResult, serveOperation } from '../operations/serve-operation.ts';
import { receiveImageQuery } from '../request-bodies/receive-image-query.ts';
import { createClips } from './clips.ts';
import { describeExpression, toComposition, toLike } from './composed-query.ts';

/** A hit of a search as the API shows it. */
function toSearchHit(found: EngineHit, clip: Clip): SearchHit {
  const { score, signals, weak, steps, duplicates } = found;
  const { id, filename, start, url, thumbnail, type, chunk_id, creator_id, category_id, thumbnails, source } = clip;
  const hit = {
    id,
    filename,
    score,
    start,
    end: endOf(found),
    url,
    thumbnail,
    type,
    chunk_id,
    creator_id,
    category_id,
    thumbnails,
    source,
    signals,
    weak,
    ...(steps ? { steps: steps.map(toStep) } : {}),
  };
  if (!duplicates) return hit;
  const others = duplicates.map((other) => ({
    id: other.media_id,
    chunk_id: other.id,
    start: other.start_time,
    end: other.end_time,
  }));
  return { ...hit, duplicates: others };
}

const toStep = ({ chunk, score }: NonNullable<EngineHit['steps']>[number]) => ({
  start: chunk.start_time,
  end: chunk.end_time,
  chunk_id: chunk.id,
  score,
});

type Answering = { request: FastifyRequest; reply: FastifyReply; timer: StageTimer; startedAt: number };

/** The answer to a search, as far as all have it in common; reports to the client, the metrics and the log how the search went. */
async function answerSearch(
  dependencies: Pick<Dependencies, 'db' | 'metrics' | 'secrets' | 'publicUrl'>,
  { request, reply, timer, startedAt }: Answering,
  { query, n, notices }: { query: string | null; n: number; notices: string[] },
  { hits, embedder, reranked, rerankedBy, notice, failure }: RerankResult & { embedder: QueryEmbedder },
) {
  if (failure !== undefined) request.log.warn({ err: failure }, 'not all hits were reranked');
  void reply.header('Server-Timing', timer.header());
  dependencies.metrics.observeStages(timer.spent());
  const sentences = [...notices, ...describeWeakness(hits), ...(notice === null ? [] : [notice])];
  return {
    data: hits.map(await createHitMapper(dependencies, request, hits)),
    meta: {
      query,
      n,
      took_ms: elapsedMs(startedAt),
      embedder: embedder.id,
      reranked,
      ...(rerankedBy === undefined ? {} : { reranked_by: rerankedBy }),
      ...(sentences.length > 0 ? { notice: sentences.join(' ') } : {}),
    },
  };
}

/** Lets other requests of the workspace run while a search waits for other processes. */
const lettingOthersRun =
  (request: FastifyRequest) =>
  <Result>(wait: () => Promise<Result>): Promise<Result> =>
    withoutSlot(request, wait);

/** Gathers the notice that a search did not compare all images. */
function noticePart(): { notices: string[]; onPartial: () => void } {
  const sentence = 'Only the newest images were compared: the index of this workspace is still being made.';
  const notices: string[] = [];
  const onPartial = () => void (notices.includes(sentence) || notices.push(sentence));
  return { notices, onPartial };
}

/** A notice where no hit stands out, so that the nearest are not taken for what was asked for. */
const describeWeakness = (hits: EngineHit[]): string[] =>
  hits.length > 0 && hits.every(({ weak }) => weak) ? ['No clear matches. These are the closest results.'] : [];

/** Returns a function that maps these hits to those of the API, with URLs for this client. */
export async function createHitMapper(
  dependencies: Pick<Dependencies, 'db' | 'secrets' | 'publicUrl'>,
  request: Pick<FastifyRequest, 'workspaceId' | 'protocol' | 'host' | 'headers'>,
  hits: readonly EngineHit[],
): Promise<(hit: EngineHit) => SearchHit> {
  const toClip = await createClips(dependencies, request);
  const chunks = hits.map(({ chunk }) => chunk);
  const stacks = await readStacks(dependencies.db, request.workspaceId, chunks);
  return (hit) => {
    const stack = toStack(hit.chunk, stacks);
    return { ...toSearchHit(hit, toClip(hit.chunk)), ...(stack ? { stack } : {}) };
  };
}

/** Milliseconds since a time of `performance.now()`, to the hundredth. */
const elapsedMs = (startedAt: number): number => Math.round((performance.now() - startedAt) * 100) / 100;

/** By an image in a form, in base64, at a URL, or by an item of the workspace. */
async function searchMediaByImage(
  dependencies: Dependencies,
  { workspaceId, query, request, reply, signal }: OperationInput<typeof operations.searchMediaByImage>,
  { parameters, source }: Awaited<ReturnType<typeof receiveImageQuery>>,
  startedAt: number,
): Promise<OperationResult<typeof operations.searchMediaByImage>> {
  const timer = createStageTimer();
  // The form or JSON body takes precedence over the URL.
  const { n, dedupe, rerank, q, ...filter } = { ...query, ...parameters };
  await consumeSearchQuota(dependencies.searchCounter, request);
  const whileWaiting = lettingOthersRun(request);
  const partly = noticePart();
  const asked = { workspaceId, n, rerank, dedupe, timer, signal, whileWaiting, onPartial: partly.onPartial };
  const answering = { request, reply, timer, startedAt };
  if (q === undefined) {
    const found = await searchByImage(dependencies, asked, source, filter);
    const said = { query: null, n, notices: partly.notices };
    const { data, meta } = await answerSearch(dependencies, answering, said, found);
    return { data, meta: { ...meta, source: source.kind } };
  }
  const composition = { expression: toExpression(q), like: await toLike(dependencies.db, workspaceId, source) };
  const found = await searchByExpression(dependencies, asked, composition, filter, {});
  const { data, meta } = await answerWords(
    dependencies,
    answering,
    { q, n, notices: partly.notices },
    composition.expression,
    found,
  );
  return { data, meta: { ...meta, source: source.kind } };
}

async function searchMedia(
  dependencies: Dependencies & { knownNames: ReturnType<typeof createKnownNames> },
  { workspaceId, query, request, reply, signal }: OperationInput<typeof operations.searchMedia>,
): Promise<OperationResult<typeof operations.searchMedia>> {
  const startedAt = performance.now();
  const timer = createStageTimer();
  await consumeSearchQuota(dependencies.searchCounter, request);
  const { q, n, dedupe, media_id: mediaId, as_written: asWritten } = query;
  const given = {
    filter: pickFilter(query),
    places: query.in === undefined ? undefined : toSearchPlaces(query.in),
    asWords: query.as_words === undefined ? [] : toConditionFields(query.as_words),
    asWritten,
    now: new Date(),
    zone: query.time_zone,
  };
  const conditioned = await readConditions(dependencies.knownNames, workspaceId, q, given);
  const { words, places, filter, conditions, ...wanted } = conditioned;
  const whileWaiting = lettingOthersRun(request);
  const partly = noticePart();
  const among = { mediaId, places, asWritten, without: query.without, ...wanted };
  const expression = toExpression(words, query, asWritten);
  const composition = await toComposition(dependencies.db, workspaceId, expression, query.like);
  const asked = { workspaceId, n, rerank: query.rerank, dedupe, timer, signal, whileWaiting };
  const searching = { ...asked, onPartial: partly.onPartial };
  const found = composition
    ? await searchByExpression(dependencies, searching, composition, filter, among)
    : await searchByText(dependencies, searching, descriptionOf(expression), filter, among);
  const said = { q, n, notices: partly.notices, places };
  const answer = await answerWords(dependencies, { request, reply, timer, startedAt }, said, expression, found);
  return conditions.length === 0 ? answer : { ...answer, meta: { ...answer.meta, conditions } };
}

/** The answer to a search that words take part in. */
async function answerWords(
  dependencies: Pick<Dependencies, 'db' | 'metrics' | 'secrets' | 'publicUrl'>,
  answering: Answering,
  { q, n, notices, places }: { q: string; n: number; notices: string[]; places?: SearchPlace[] | undefined },
  expression: Expression,
  found: Awaited<ReturnType<typeof searchByText>>,
) {
  const { hits, unknown, problem, corrections, text, translated } = found;
  if (problem !== null) answering.request.log.error({ problem }, 'query not embedded');
  const lacksPhrase = hits.length === 0 && text.phrases.length > 0;
  const sentences = [
    ...describeTranslation(translated),
    ...describeQuery(text, corrections, places?.includes('visual') ?? true),
    ...(expression.isCut ? [`Only the first ${maxSteps} steps and ${maxParts} descriptions are used.`] : []),
    ...notices,
    ...(lacksPhrase ? [describePhrases(text)] : []),
    ...describeGaps(found, places?.every((place) => place === 'visual') ?? false),
  ];
  const { data, meta } = await answerSearch(dependencies, answering, { query: q, n, notices: sentences }, found);
  return {
    data,
    meta: {
      ...meta,
      ...(corrections.length > 0 ? { corrections } : {}),
      ...describeExpression(expression),
      ...(translated.length > 0 ? { translated } : {}),
      ...(text.excluded.length > 0 ? { excluded: text.excluded } : {}),
      ...(lacksPhrase ? { suggested_query: withoutQuotes(q) } : {}),
      ...(unknown.length > 0 ? { unknown_terms: unknown } : {}),
    },
  };
}

/** Notices about what of the query was not used, and about words that no text holds and that are taken for typing errors. */
const describeQuery = ({ isCut, excluded }: TextQuery, corrections: Correction[], isVisual: boolean): string[] => [
  ...(isCut
    ? [`Of the query only the first ${maxTerms} words, ${maxPhrases} phrases and ${maxExcluded} exclusions are used.`]
    : []),
  ...(excluded.length > 0
    ? [
        `Left out: what says ${quoteAll(excluded)}${isVisual ? ', and what shows it as far as the model can tell' : ''}.`,
      ]
    : []),
  ...corrections.map(({ from, to }) => `No text contains “${from}”. Showing results for “${to}” instead.`),
];

/** A notice about a query in another language: what its words were understood as. */
const describeTranslation = (translated: Translated[]): string[] =>
  translated.length === 0 ? [] : [`Understood: ${translated.map(({ from, to }) => `${from} → ${to}`).join(', ')}.`];

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

/** The operations that search. */
export function serveSearch(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  const knownNames = createKnownNames(db);
  serveOperation(app, operations.listClips, async ({ workspaceId, query, request }) => {
    const ids = query.ids.split(',');
    const found = new Map((await findChunksById(db, workspaceId, ids)).map((chunk) => [chunk.id, chunk]));
    const toClip = await createClips(dependencies, request);
    return {
      data: ids.flatMap((id) => {
        const chunk = found.get(id);
        return chunk ? [toClip(chunk)] : [];
      }),
    };
  });

  serveOperation(app, operations.searchMedia, (input) => searchMedia({ ...dependencies, knownNames }, input), {
    kind: ({ rerank }) => (rerank ? 'rerank' : 'search'),
  });

  serveOperation(
    app,
    operations.searchMediaByImage,
    (input) =>
      dependencies.scratch.withFolder(async (folder) => {
        const startedAt = performance.now();
        return searchMediaByImage(dependencies, input, await receiveImageQuery(input, folder), startedAt);
      }),
    { kind: 'heavy', timeoutSeconds: 60 },
  );
}
