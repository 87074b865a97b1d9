import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** Tells whether a part works: null, or what is wrong, as a sentence. */
export type Check = () => Promise<string | null>;

/** What a balancer is told: whether to send requests here, and which parts work. */
export type ReadinessReport = { status: 'ready' | 'not ready' | 'stopping'; checks: Record<string, 'ok' | 'failed'> };

export type Readiness = ReturnType<typeof createReadiness>;

/** A part that does not answer within this time fails, milliseconds. */
const checkTimeoutMs = 1000;
/** A result is reused for this long, milliseconds: frequent probes cost nothing. */
const maxAgeMs = 2000;

/**
 * Whether this process can answer requests. Its parts are checked on request.
 * @param checks by the name of the part
 */
export function createReadiness(checks: Record<string, Check>, log: Pick<FastifyBaseLogger, 'error' | 'warn'>) {
  const known = new Map<string, string>();
  let stopping = false;
  let lookedAt = -Infinity;
  let latest: Promise<ReadinessReport['checks']> = Promise.resolve({});

  async function look(name: string, check: Check): Promise<'ok' | 'failed'> {
    const late = delay(checkTimeoutMs, `It did not answer within ${checkTimeoutMs / 1000} s.`, { ref: false });
    const problem = await Promise.race([check(), late]).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    // Once for each problem, not at each look.
    if (problem !== null && known.get(name) !== problem) log.error({ part: name, problem }, 'not ready');
    if (problem === null && known.delete(name)) log.warn({ part: name }, 'ready again');
    if (problem !== null) known.set(name, problem);
    return problem === null ? 'ok' : 'failed';
  }

  const lookAtAll = async () =>
    Object.fromEntries(
      await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await look(name, check)] as const)),
    );

  return {
    /** Says from now on that no requests are wanted. */
    beginStop: (): void => void (stopping = true),

    async report(): Promise<ReadinessReport> {
      if (performance.now() - lookedAt > maxAgeMs) {
        lookedAt = performance.now();
        latest = lookAtAll();
      }
      const found = await latest;
      const works = Object.values(found).every((state) => state === 'ok');
      return { status: stopping ? 'stopping' : works ? 'ready' : 'not ready', checks: found };
    },
  };
}
