import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** Tells whether a part works: null, or what is wrong, as a sentence. */
export type Check = () => Promise<string | null>;

/** A part of the service. */
export type Part = {
  check: Check;
  /**
   * Whether all processes of the service have the same one, such as the database. Then they are without it together: a balancer that sent requests to
   * none of them would answer with nothing what each can answer with a sentence, or without that part.
   */
  isShared: boolean;
};

/** What a balancer is told: whether to send requests here, and which parts work. `degraded`: requests are wanted, and those fail that need a shared part. */
export type ReadinessReport = {
  status: 'ready' | 'degraded' | 'not ready' | 'stopping';
  checks: Record<string, 'ok' | 'failed'>;
};

export type Readiness = ReturnType<typeof createReadiness>;

/** A part that does not answer within this time fails, milliseconds. */
const checkTimeoutMs = 1000;
/** A result is reused for this long, milliseconds: frequent probes cost nothing. */
const maxAgeMs = 2000;

/**
 * Whether this process can answer requests. Its parts are checked on request.
 * @param parts by name
 */
export function createReadiness(parts: Record<string, Part>, log: Pick<FastifyBaseLogger, 'error' | 'warn'>) {
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
    if (problem !== null && known.get(name) !== problem)
      log.error({ part: name, problem }, 'a part of the service fails');
    if (problem === null && known.delete(name)) log.warn({ part: name }, 'it works again');
    if (problem !== null) known.set(name, problem);
    return problem === null ? 'ok' : 'failed';
  }

  const lookAtAll = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(parts).map(async ([name, { check }]) => [name, await look(name, check)] as const),
      ),
    );

  function judge(found: ReadinessReport['checks']): ReadinessReport['status'] {
    const failed = Object.keys(found).filter((name) => found[name] === 'failed');
    if (failed.length === 0) return 'ready';
    return failed.every((name) => parts[name]?.isShared) ? 'degraded' : 'not ready';
  }

  return {
    /** Says from now on that no requests are wanted. */
    beginStop: (): void => void (stopping = true),

    async report(): Promise<ReadinessReport> {
      if (performance.now() - lookedAt > maxAgeMs) {
        lookedAt = performance.now();
        latest = lookAtAll();
      }
      const found = await latest;
      return { status: stopping ? 'stopping' : judge(found), checks: found };
    },
  };
}
