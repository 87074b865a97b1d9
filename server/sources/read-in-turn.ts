import { SourceError } from './source-error.ts';

/**
 * A share that hangs keeps each call that touches it, and a process has four threads for all its files. So calls to files of sources are few at a
 * time, one for each source, and none is waited for for long.
 */

/** Calls at a time, of all sources: one of four threads stays for all other files, whatever hangs. */
const atOnce = 3;
/** How long a call, with its turn, is waited for, milliseconds. */
const patienceMs = 15_000;

type Waiting = { place: string; begin: () => void };
const queue: Waiting[] = [];
/** Places with a call that is under way, with the time that it began. */
const running = new Map<string, number>();

const hangsError = () => new SourceError('hangs', 'Its files are not answered.');

function beginNext(): void {
  for (let i = 0; i < queue.length && running.size < atOnce;) {
    const { place, begin } = queue[i] as Waiting;
    if (running.has(place)) {
      i += 1;
      continue;
    }
    queue.splice(i, 1);
    running.set(place, performance.now());
    begin();
  }
}

/** Does a call when it is the turn of its place, however long that takes. */
async function takeTurn<Result>(place: string, call: () => Promise<Result>): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.push({ place, begin: resolve });
  beginNext();
  await promise;
  try {
    return await call();
  } finally {
    running.delete(place);
    beginNext();
  }
}

/**
 * Does a call to a file of a source when it is its turn. Throws `SourceError` (`hangs`) when it takes too long, and at once where an earlier call does.
 * @param place the location of the source: one call at a time is made there
 * @param onLate is given what came after it was waited for, such as a handle to be closed
 */
export async function inTurn<Result>(
  place: string,
  call: () => Promise<Result>,
  onLate?: (result: Result) => void,
): Promise<Result> {
  if (performance.now() - (running.get(place) ?? Infinity) >= patienceMs) throw hangsError();
  const hangs = Promise.withResolvers<never>();
  const timer = setTimeout(() => hangs.reject(hangsError()), patienceMs);
  let isWaitedFor = true;
  const turn = takeTurn(place, async () => {
    if (!isWaitedFor) throw hangsError();
    const result = await call();
    if (!isWaitedFor) onLate?.(result);
    return result;
  });
  try {
    return await Promise.race([turn, hangs.promise]);
  } finally {
    isWaitedFor = false;
    clearTimeout(timer);
  }
}

/** Closes what was opened of a source when it is its turn. It is not waited for: of a share that hangs that takes as long as it hangs. */
export function closeInTurn(place: string, handle: { close(): Promise<void> }): void {
  takeTurn(place, () => handle.close()).catch(() => undefined);
}
