import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TrafficLimits } from '../../catalog/tables/accounts.ts';
import { ApiError } from '../../errors/api-error.ts';
import { BusyError, FairQueue } from '../../platform/fair-queue.ts';
import { clientGoneError } from '../protocol/connections.ts';
import { networkOf } from '../protocol/requests.ts';

/**
 * Limits the concurrent requests of a workspace, over all its keys and members, so that it cannot starve others, and those of visitors by the
 * network that they come from. A request counts from when its head is accepted, before its body is read, until its response is sent and its
 * work has ended. What comes beyond waits for its turn, unread, and is refused only where too many wait or none of those before it ends in
 * time. Of requests that compute in this process a few run at a time; the others wait for a slot.
 */

/**
 * `light`: reads and small changes; `search`: by words; `rerank`: the same with `rerank=1`; `heavy`: what needs a query worker;
 * `upload`: as long as a file takes; `import`: as long as a download takes; `stream`: as long as the client stays;
 * `agent`: of the Model Context Protocol, whose tools send requests of the other kinds.
 */
export type RequestKind = 'light' | 'search' | 'rerank' | 'heavy' | 'upload' | 'import' | 'agent' | 'stream';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the plan of its workspace allows; null: what is usual. */
    traffic: TrafficLimits | null;
    /** Asks again whether its key or session still works, after it has waited. Throws where not. */
    checkAccess: (() => Promise<void>) | null;
  }
}

type KindLimit = {
  /** How the requests are called in a refusal. */
  name: string;
  /** Most in flight, and how many more wait. */
  inFlight: number;
  waiting: number;
  /** The limit of a plan that stands for `inFlight`. */
  plan?: keyof TrafficLimits;
};

const limits: Record<RequestKind, KindLimit> = {
  light: { name: 'requests', inFlight: 64, waiting: 256, plan: 'requests_at_once' },
  search: { name: 'searches', inFlight: 32, waiting: 128, plan: 'searches_at_once' },
  rerank: { name: 'searches with `rerank`', inFlight: 16, waiting: 64, plan: 'reranks_at_once' },
  heavy: {
    name: 'image searches and other heavy requests',
    inFlight: 16,
    waiting: 64,
    plan: 'image_searches_at_once',
  },
  upload: { name: 'uploads', inFlight: 8, waiting: 64, plan: 'uploads_at_once' },
  import: { name: 'imports', inFlight: 4, waiting: 16, plan: 'imports_at_once' },
  agent: { name: 'requests of agents', inFlight: 16, waiting: 64, plan: 'agents_at_once' },
  // They end when their clients go: there is nothing to wait for.
  stream: { name: 'streams', inFlight: 200, waiting: 0 },
};

/** How long a request waits for its turn. */
export const maxWaitSeconds = 30;
/** How many requests of all workspaces may wait: each holds a connection. */
const maxWaitingInAll = 2048;
/** Slots of a workspace. */
const maxRunning = 2;

/** What a request counts for: a workspace, or the network of visitors. */
type Asker = {
  id: string;
  /** What that is, in a refusal. */
  name: 'workspace' | 'address';
};

/**
 * The requests in flight at this process, by workspace or network and kind. Each process counts its own: what the limits protect is its event
 * loop and its query workers, and more processes can carry more.
 */
const requests = new FairQueue({ bounds: { each: 0, all: maxWaitingInAll } });
/** The requests that compute in this process, by workspace or network. */
const slotQueue = new FairQueue({ bounds: { each: Infinity, all: Infinity } });

/** Requests that hold a slot, and how long this thread had been busy when they got it, ms. */
const slots = new WeakMap<FastifyRequest, { asker: Asker; end: () => void; busySince: number }>();

/** How long this thread has been busy since it began, ms. */
export const busyMs = (): number => performance.eventLoopUtilization().active;

/** The workspace or network that asked last, and the one that asked last before it. */
let askedLast = { asker: '', at: -Infinity };
let askedBefore = askedLast;

function noteAsker(asker: string): void {
  if (askedLast.asker !== asker) askedBefore = askedLast;
  askedLast = { asker, at: performance.now() };
}

/** Others count as asking for so long after a request. */
const othersMs = 1000;

/** Whether another workspace or network has asked lately. */
function areOthersAsking(asker: string): boolean {
  const { at } = askedLast.asker === asker ? askedBefore : askedLast;
  return performance.now() - at < othersMs;
}

/**
 * How long a slot stays free after work that kept this thread busy, in multiples of that, while others ask too: with two slots a
 * workspace that sends without a pause gets half of the thread at most, and a request of another seldom waits for more than one piece of work.
 */
const pauseShare = 3;
const [minPauseMs, maxPauseMs] = [2, 200];
/** Whether requests of a kind compute in this thread for long, and so need a slot. Searches take turns in their own threads. */
const needsSlot: Record<RequestKind, boolean> = {
  light: true,
  search: false,
  rerank: true,
  heavy: false,
  upload: false,
  import: false,
  agent: false,
  stream: false,
};

/** Admitted requests. Each counts until its holders, its response and its work, have released it. */
const admissions = new WeakMap<FastifyRequest, { asker: Asker; hold: () => void; release: () => void }>();

/**
 * Counts a request, before its body is read, when it is its turn. Throws `throttled` when too many of its workspace, or of its network, wait, or
 * when it has waited too long; the refusal of a key or session that ended meanwhile; `clientGoneError`; and `unavailable` when the service
 * stops.
 */
export async function admitRequest(
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  kind: RequestKind,
): Promise<void> {
  const isVisitor = request.workspaceId === '';
  const asker: Asker = isVisitor
    ? { id: networkOf(request.ip), name: 'address' }
    : { id: request.workspaceId, name: 'workspace' };
  noteAsker(asker.id);
  const { plan, inFlight } = limits[kind];
  const atOnce = (plan && request.traffic?.[plan]) ?? inFlight;
  // Visitors have no key that could be taken from them: they fill no queue.
  const turn = { owner: asker.id, lane: kind, atOnce, waiting: isVisitor ? 0 : limits[kind].waiting };
  const taken = requests.take(turn);
  holdPlace(request, response, asker, taken ?? (await waitForTurn(request, asker, kind, turn)));
  // A key that was revoked meanwhile works no more.
  if (!taken) await request.checkAccess?.();
}

/** Waits until fewer requests of a kind are in flight. @returns ends the turn */
async function waitForTurn(
  { raw: { socket }, server: { closing } }: FastifyRequest,
  asker: Asker,
  kind: RequestKind,
  turn: Parameters<typeof requests.waitForTurn>[0] & { atOnce: number },
): Promise<() => void> {
  const refusal = (more: string) => tooManyError(asker, kind, turn.atOnce, more);
  const waiting = new AbortController();
  const timer = setTimeout(
    () => waiting.abort(refusal(`this one has waited ${maxWaitSeconds} seconds for its turn`)),
    maxWaitSeconds * 1000,
  );
  const onClose = () => waiting.abort(clientGoneError());
  socket.on('close', onClose);
  if (socket.destroyed) onClose();
  const onStop = () => waiting.abort(closing.reason as Error);
  closing.addEventListener('abort', onStop);
  if (closing.aborted) onStop();
  try {
    return await requests.waitForTurn(turn, waiting.signal);
  } catch (error) {
    throw error instanceof BusyError ? refusal(`${error.waiting} more wait`) : error;
  } finally {
    clearTimeout(timer);
    socket.off('close', onClose);
    closing.removeEventListener('abort', onStop);
  }
}

const retrySeconds = 5;

const tooManyError = ({ name }: Asker, kind: RequestKind, most: number, more: string): ApiError =>
  new ApiError(
    'throttled',
    `This ${name} has ${most} ${limits[kind].name} in flight, which is the limit, and ${more}: try again in ${retrySeconds} seconds.`,
    { headers: { 'Retry-After': String(retrySeconds) } },
  );

/** Keeps the place of a request until its response is sent or its connection closed, and its work has ended. */
function holdPlace(request: FastifyRequest, response: FastifyReply['raw'], asker: Asker, endTurn: () => void): void {
  let holders = 0;
  const admission = {
    asker,
    hold: () => void (holders += 1),
    release() {
      holders -= 1;
      if (holders === 0) endTurn();
    },
  };
  admissions.set(request, admission);
  admission.hold();
  const { socket } = request.raw;
  // The response of a pipelined request may get no event when the connection closes.
  const onClose = () => {
    response.off('close', onClose);
    socket.off('close', onClose);
    admission.release();
  };
  response.on('close', onClose);
  socket.on('close', onClose);
  if (socket.destroyed) onClose();
}

/** Runs the work of an admitted request, in a slot where its kind needs one. Throws the signal's reason when that aborts first. */
export async function runAdmitted<Result>(
  request: FastifyRequest,
  kind: RequestKind,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const admission = admissions.get(request);
  if (!admission) return work();
  admission.hold();
  try {
    return needsSlot[kind] ? await runInSlot(request, admission.asker, signal, work) : await work();
  } finally {
    admission.release();
  }
}

async function runInSlot<Result>(
  request: FastifyRequest,
  asker: Asker,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  await acquireSlot(request, asker, signal);
  try {
    return await work();
  } finally {
    freeSlot(request);
  }
}

/**
 * Runs a piece of the work that goes on while the response of a request is sent, in a slot of its own: so that long responses take turns, and
 * one that is read slowly holds no slot meanwhile.
 */
export async function runInTurn<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
  const asker = admissions.get(request)?.asker;
  return asker ? runInSlot(request, asker, undefined, work) : work();
}

/**
 * Waits for something outside this process (a query worker, another service) within a request's work. Meanwhile its slot is free for
 * other requests of the workspace.
 */
export async function withoutSlot<Result>(request: FastifyRequest, wait: () => Promise<Result>): Promise<Result> {
  const held = slots.get(request);
  if (!held) return wait();
  freeSlot(request);
  try {
    return await wait();
  } finally {
    await acquireSlot(request, held.asker);
  }
}

/** Takes a slot for a request. Throws the signal's reason when that aborts first. */
async function acquireSlot(request: FastifyRequest, asker: Asker, signal?: AbortSignal): Promise<void> {
  const end = await slotQueue.waitForTurn({ owner: asker.id, atOnce: maxRunning }, signal);
  slots.set(request, { asker, end, busySince: busyMs() });
}

/** How long work of an asker pauses after some that took so long, ms. */
function pauseFor({ id }: Asker, workedMs: number): number {
  const pause = Math.min(maxPauseMs, pauseShare * workedMs);
  return pause >= minPauseMs && areOthersAsking(id) ? pause : 0;
}

/**
 * Pauses as a slot does, for work that needs none: call it when the work is done and its answer has not been sent. Other work of the same
 * workspace or network meanwhile counts for each, so the more there is, the longer the pause.
 */
export async function pauseAfter(request: FastifyRequest, workedMs: number, signal: AbortSignal): Promise<void> {
  const admission = admissions.get(request);
  if (admission)
    await setTimeoutPromise(pauseFor(admission.asker, workedMs), undefined, { signal }).catch(() => undefined);
}

/**
 * Gives the slot of a request to the next one, but only after the event loop has read what others have sent. Work that never waits runs to its
 * end at once, so without this all requests that came in together would run before those of others are read. While others ask, it pauses in
 * proportion to the time of the work.
 */
function freeSlot(request: FastifyRequest): void {
  const held = slots.get(request);
  if (!held) return;
  slots.delete(request);
  const pause = pauseFor(held.asker, busyMs() - held.busySince);
  if (pause > 0) setTimeout(held.end, pause);
  else setImmediate(held.end);
}
