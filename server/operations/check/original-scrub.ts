import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { AssetStore } from '../../assets/asset-store.ts';
import { checkChecksum } from '../../assets/check-original.ts';
import { findOriginalToCheck, recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import type { Catalog } from '../../catalog/schema.ts';

/** Each original is read and compared with its checksum this often, milliseconds. */
const checkIntervalMs = 30 * 24 * 60 * 60_000;
/** 8 MiB a second: 20 TiB in 30 days, and no more than a few hundredths of a core. */
const bytesPerSecond = 8 * 2 ** 20;
/** Pause while no original is due, milliseconds. */
const idleIntervalMs = 10 * 60_000;

/**
 * Reads one original after the other, slowly, and stores on each item whether it is still what was uploaded. The time of each check is in the
 * catalog, so a restart continues where the last run stopped.
 * Single process: a second one would read the same originals. It would have to claim each before it reads it.
 */
export function startScrub(
  { db, assets, log }: { db: Catalog; assets: AssetStore; log: Pick<FastifyBaseLogger, 'error'> },
  pace = { checkIntervalMs, bytesPerSecond, idleIntervalMs },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  /** @returns whether there was an original to check */
  async function checkNext(): Promise<boolean> {
    const media = await findOriginalToCheck(db, new Date(Date.now() - pace.checkIntervalMs).toISOString());
    if (!media) return false;
    const problem = await checkChecksum(assets, media, {
      signal,
      bytesPerSecond: pace.bytesPerSecond,
    });
    await recordOriginalCheck(db, media, problem);
    if (problem)
      log.error(
        { workspace: media.workspace_id, media: media.id, problem },
        'an original differs from what was uploaded',
      );
    return true;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const checked = await checkNext().catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'an original could not be checked');
        return false;
      });
      if (!checked) await delay(pace.idleIntervalMs, undefined, { signal, ref: false }).catch(() => undefined);
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
