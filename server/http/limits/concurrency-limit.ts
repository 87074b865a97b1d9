import type { FastifyReply, FastifyRequest } from 'fastify';
import { raceWithSignal } from '../../abort-signals.ts';
import { ApiError } from '../../api-error.ts';

/**
 * Bounds what one workspace may have under way, whatever its keys and members, so that it never takes the service from others. A
 * request counts from when its head is accepted, before its body is read, until its answer is sent and its work has ended.
 */

/**
 * `light`: reads and small changes; `search`: by words; `rerank`: the same with `rerank=1`; `heavy`: what needs a query worker;
 * `upload`: as long as a file takes.
 */
export type RequestKind = 'light' | 'search' | 'rerank' | 'heavy' | 'upload';

/** Requests under way, at most. */
const maxInFlight: Record<RequestKind, number> = { light: 64, search: 32, rerank: 16, heavy: 16, upload: 8 };
/** Of those that compute in this process: worked on at once. Others of the workspace wait. */
const maxRunning = 2;

const kindNames: Record<RequestKind, string> = {
  light: 'requests',
  search: 'searches',
  rerank: 'searches with `rerank`',
  heavy: 'image searches and other heavy requests',
  upload: 'uploads',
};

type WorkspaceLoad = {
  workspaceId: string;
  counts: Record<RequestKind, number>;
  /** Requests that are worked on in turns, and those that wait for theirs. */
  running: number;
  waiting: Set<() => void>;
};

const workspaces = new Map<string, WorkspaceLoad>();
/** Requests whose turn it is. */
const slots = new WeakMap<FastifyRequest, WorkspaceLoad>();
/** Requests that compute in this process, so that their workspace's are worked on a few at a time. */
const needsSlot: Record<RequestKind, boolean> = {
  light: true,
  search: true,
  rerank: true,
  heavy: false,
  upload: false,
};

/** How many things keep each request's place: its answer, its work. */
const admissions = new WeakMap<FastifyRequest, { hold: () => void; release: () => void }>();

/** Counts a request, before its body is read. Throws `throttled` when its workspace has too many of its kind under way. */
export function admitRequest(request: FastifyRequest, { raw: response }: FastifyReply, kind: RequestKind): void {
  const { workspaceId } = request;
  // Nobody is known who could have too many.
  if (workspaceId === '') return;
  const load = workspaces.get(workspaceId) ?? {
    workspaceId,
    counts: { light: 0, search: 0, rerank: 0, heavy: 0, upload: 0 },
    running: 0,
    waiting: new Set(),
  };
  if (load.counts[kind] >= maxInFlight[kind]) {
    throw new ApiError(
      'throttled',
      `This workspace has ${maxInFlight[kind]} ${kindNames[kind]} under way, the most that it may: try again in 1 second.`,
      { headers: { 'Retry-After': '1' } },
    );
  }
  workspaces.set(workspaceId, load);
  load.counts[kind] += 1;
  let holders = 0;
  const place = {
    hold: () => void (holders += 1),
    release() {
      holders -= 1;
      if (holders > 0) return;
      load.counts[kind] -= 1;
      forgetIdleWorkspace(load);
    },
  };
  admissions.set(request, place);
  place.hold();
  const { socket } = request.raw;
  // The response of a pipelined request may never hear that the connection has closed.
  const onClose = () => {
    response.off('close', onClose);
    socket.off('close', onClose);
    place.release();
  };
  response.on('close', onClose);
  socket.on('close', onClose);
  if (socket.destroyed) onClose();
}

/** Does the work of a request that was admitted, when it is its turn. Throws the signal's reason when that aborts first. */
export async function runAdmitted<Result>(
  request: FastifyRequest,
  kind: RequestKind,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const place = admissions.get(request);
  const own = workspaces.get(request.workspaceId);
  if (!place || !own) return work();
  place.hold();
  try {
    return needsSlot[kind] ? await runInSlot(request, own, signal, work) : await work();
  } finally {
    place.release();
  }
}

async function runInSlot<Result>(
  request: FastifyRequest,
  own: WorkspaceLoad,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  await acquireSlot(own, signal);
  slots.set(request, own);
  try {
    return await work();
  } finally {
    slots.delete(request);
    releaseSlot(own);
  }
}

/** A workspace counts as idle only once its turns have ended as well: a request that comes in meanwhile is bounded by them. */
function forgetIdleWorkspace(own: WorkspaceLoad): void {
  const idle = own.running === 0 && Object.values(own.counts).every((count) => count === 0);
  if (idle && workspaces.get(own.workspaceId) === own) workspaces.delete(own.workspaceId);
}

/**
 * Waits for something outside this process (a query worker, another service) within a request's work: meanwhile it is the turn of
 * other requests of the workspace.
 */
export async function withoutSlot<Result>(request: FastifyRequest, wait: () => Promise<Result>): Promise<Result> {
  const own = slots.get(request);
  if (!own) return wait();
  slots.delete(request);
  releaseSlot(own);
  try {
    return await wait();
  } finally {
    await acquireSlot(own);
    slots.set(request, own);
  }
}

/** Throws the signal's reason when that aborts first. */
async function acquireSlot(own: WorkspaceLoad, signal?: AbortSignal): Promise<void> {
  if (own.running < maxRunning) {
    own.running += 1;
    return;
  }
  const { promise: called, resolve } = Promise.withResolvers<void>();
  own.waiting.add(resolve);
  try {
    await (signal ? raceWithSignal(signal, called) : called);
  } catch (error) {
    // Called at the same moment: the turn goes to the next.
    if (!own.waiting.delete(resolve)) releaseSlot(own);
    throw error;
  }
}

/**
 * Calls the next one, but only after what others have sent meanwhile was looked at. Work that never waits is done at once, so without
 * this all requests that came in together would be worked off before anybody else's is read.
 */
function releaseSlot(own: WorkspaceLoad): void {
  setImmediate(() => {
    const [next] = own.waiting;
    if (!next) {
      own.running -= 1;
      forgetIdleWorkspace(own);
      return;
    }
    own.waiting.delete(next);
    next();
  });
}
