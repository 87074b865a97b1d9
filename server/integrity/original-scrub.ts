import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { AssetStore } from '../assets/asset-store.ts';
import { checkChecksum } from '../assets/check-original.ts';
import { findOriginalToCheck, recordOriginalCheck } from '../catalog/original-checks.ts';
import type { Catalog } from '../catalog/schema.ts';

/** How often each original is read and compared with its checksum. */
const everyMs = 30 * 24 * 60 * 60_000;
/** 8 MiB a second: 20 TiB in 30 days, and no more than a few hundredths of a core. */
const bytesPerSecond = 8 * 2 ** 20;
/** How long it rests when nothing is due. */
const idleMs = 10 * 60_000;

/**
 * Reads one original after the other, slowly, and notes on each item whether it is still what was uploaded. When each was last
 * checked is kept in the catalog, so a restart goes on where the last run stopped.
 */
export function startScrub(
  { db, assets, log }: { db: Catalog; assets: AssetStore; log: Pick<FastifyBaseLogger, 'error'> },
  pace = { everyMs, bytesPerSecond, idleMs },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  /** @returns whether there was an original to check */
  async function checkNext(): Promise<boolean> {
    const media = await findOriginalToCheck(db, new Date(Date.now() - pace.everyMs).toISOString());
    if (!media) return false;
    const problem = await checkChecksum(assets, media, {
      signal,
      bytesPerSecond: pace.bytesPerSecond,
    });
    await recordOriginalCheck(db, media, problem);
    if (problem)
      log.error({ workspace: media.workspace_id, media: media.id, problem }, 'an original is not as uploaded');
    return true;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const checked = await checkNext().catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'an original could not be checked');
        return false;
      });
      if (!checked) await delay(pace.idleMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
  const running = run();

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
