import type { FastifyReply, FastifyRequest } from 'fastify';
import { raceWithSignal } from '../../abort-signals.ts';
import { ApiError } from '../../api-error.ts';

/**
 * Limits the concurrent requests of a workspace, over all its keys and members, so that it cannot starve others. A request
 * counts from when its head is accepted, before its body is read, until its response is sent and its work has ended. Of requests that
 * compute in this process a few run at a time; the others wait for a slot.
 */

/**
 * `light`: reads and small changes; `search`: by words; `rerank`: the same with `rerank=1`; `heavy`: what needs a query worker;
 * `upload`: as long as a file takes; `import`: as long as a download takes; `stream`: as long as the client stays;
 * `agent`: of the Model Context Protocol, whose tools send requests of the other kinds.
 */
export type RequestKind = 'light' | 'search' | 'rerank' | 'heavy' | 'upload' | 'import' | 'agent' | 'stream';

/** Most requests of a kind in flight. */
const maxInFlight: Record<RequestKind, number> = {
  light: 64,
  search: 32,
  rerank: 16,
  heavy: 16,
  upload: 8,
  import: 4,
  agent: 16,
  stream: 200,
};
/** Slots of a workspace. */
const maxRunning = 2;

const kindNames: Record<RequestKind, string> = {
  light: 'requests',
  search: 'searches',
  rerank: 'searches with `rerank`',
  heavy: 'image searches and other heavy requests',
  upload: 'uploads',
  import: 'imports',
  agent: 'requests of agents',
  stream: 'streams',
};

type WorkspaceLoad = {
  workspaceId: string;
  counts: Record<RequestKind, number>;
  /** Requests that hold a slot. */
  running: number;
  /** Requests that wait for a slot, the oldest first. */
  waiting: Set<() => void>;
};

const workspaces = new Map<string, WorkspaceLoad>();

/**
 * The requests of a workspace in flight at this process. Each process counts its own: what the limits protect is its event loop and its query
 * workers, and more processes can carry more.
 */
const findLoad = (workspaceId: string): WorkspaceLoad | undefined => workspaces.get(workspaceId);

/** Requests that hold a slot. */
const slots = new WeakMap<FastifyRequest, WorkspaceLoad>();
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

/** Of each admitted request: it counts until whoever holds it, its response and its work, has released it. */
const admissions = new WeakMap<FastifyRequest, { hold: () => void; release: () => void }>();

/** Counts a request, before its body is read. Throws `throttled` when its workspace has too many of its kind in flight. */
export function admitRequest(request: FastifyRequest, { raw: response }: FastifyReply, kind: RequestKind): void {
  const { workspaceId } = request;
  // Without a workspace: a visitor, or a request that will be refused.
  if (workspaceId === '') return;
  const load = findLoad(workspaceId) ?? {
    workspaceId,
    counts: { light: 0, search: 0, rerank: 0, heavy: 0, upload: 0, import: 0, agent: 0, stream: 0 },
    running: 0,
    waiting: new Set(),
  };
  if (load.counts[kind] >= maxInFlight[kind]) {
    throw new ApiError(
      'throttled',
      `This workspace has ${maxInFlight[kind]} ${kindNames[kind]} in flight, which is the limit: try again in 1 second.`,
      { headers: { 'Retry-After': '1' } },
    );
  }
  workspaces.set(workspaceId, load);
  load.counts[kind] += 1;
  let holders = 0;
  const admission = {
    hold: () => void (holders += 1),
    release() {
      holders -= 1;
      if (holders > 0) return;
      load.counts[kind] -= 1;
      forgetIdleWorkspace(load);
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
  const load = findLoad(request.workspaceId);
  if (!admission || !load) return work();
  admission.hold();
  try {
    return needsSlot[kind] ? await runInSlot(request, load, signal, work) : await work();
  } finally {
    admission.release();
  }
}

async function runInSlot<Result>(
  request: FastifyRequest,
  load: WorkspaceLoad,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  await acquireSlot(load, signal);
  slots.set(request, load);
  try {
    return await work();
  } finally {
    slots.delete(request);
    releaseSlot(load);
  }
}

/**
 * Runs a piece of the work that goes on while the response of a request is sent, in a slot of its own: so that long responses take turns, and
 * one that is read slowly holds no slot meanwhile.
 */
export async function runInTurn<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
  const load = findLoad(request.workspaceId);
  return load ? runInSlot(request, load, undefined, work) : work();
}

/** A workspace is idle only when its slots are free as well: a request that comes in meanwhile has to wait for them. */
function forgetIdleWorkspace(load: WorkspaceLoad): void {
  const idle = load.running === 0 && Object.values(load.counts).every((count) => count === 0);
  if (idle && findLoad(load.workspaceId) === load) workspaces.delete(load.workspaceId);
}

/**
 * Waits for something outside this process (a query worker, another service) within a request's work. Meanwhile its slot is free for
 * other requests of the workspace.
 */
export async function withoutSlot<Result>(request: FastifyRequest, wait: () => Promise<Result>): Promise<Result> {
  const load = slots.get(request);
  if (!load) return wait();
  slots.delete(request);
  releaseSlot(load);
  try {
    return await wait();
  } finally {
    await acquireSlot(load);
    slots.set(request, load);
  }
}

/** Throws the signal's reason when that aborts first. */
async function acquireSlot(load: WorkspaceLoad, signal?: AbortSignal): Promise<void> {
  if (load.running < maxRunning) {
    load.running += 1;
    return;
  }
  const { promise: granted, resolve } = Promise.withResolvers<void>();
  load.waiting.add(resolve);
  try {
    await (signal ? raceWithSignal(signal, granted) : granted);
  } catch (error) {
    // It got a slot at the same moment.
    if (!load.waiting.delete(resolve)) releaseSlot(load);
    throw error;
  }
}

/**
 * Gives the slot to the next request, but only after the event loop has read what others have sent. Work that never waits runs to its end
 * at once, so without this all requests that came in together would run before those of others are read.
 */
function releaseSlot(load: WorkspaceLoad): void {
  setImmediate(() => {
    const [next] = load.waiting;
    if (!next) {
      load.running -= 1;
      forgetIdleWorkspace(load);
      return;
    }
    load.waiting.delete(next);
    next();
  });
}
