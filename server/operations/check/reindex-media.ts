import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { MediaLimits } from '@media-search/media/media-limits';
import { type AssetCall, lendAssets } from '../../assets/asset-rpc.ts';
import type { AssetStore } from '../../assets/asset-store.ts';
import { childEnvironment } from '../../catalog/child-catalog.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import { watchForHang } from '../../platform/processes/hang-watch.ts';
import type { CatalogLocation } from '../../platform/storage/data-directory.ts';

/** The only argument of the process, as JSON. */
export type ReindexTask = { dataDirectory: string; borrowsAssets: boolean; media: MediaRow; limits: MediaLimits };

/**
 * Rebuilds everything that is derived from the original of a complete item: renditions, thumbnails, chunks with their texts and vectors.
 * The item stays searchable meanwhile. It runs in a process of its own, because a hostile file can crash a decoder.
 * Throws the reason when it fails.
 */
export async function reindexMedia(
  details: Omit<ReindexTask, 'borrowsAssets'>,
  { assets, location }: { assets: AssetStore; location: CatalogLocation },
): Promise<void> {
  const task: ReindexTask = { ...details, borrowsAssets: !assets.isLocal };
  const child = fork(new URL('./reindex-process.ts', import.meta.url), [JSON.stringify(task)], {
    execArgv: [],
    env: childEnvironment(location),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (task.borrowsAssets) lendAssets(child, assets);
  let failure = 'its decoder crashed or hung';
  const watchdog = watchForHang(child, () => child.kill('SIGKILL'));
  watchdog.advance();
  child.on('message', (message: { failure: string } | 'advanced' | AssetCall) => {
    if (typeof message !== 'string' && 'kind' in message) return;
    watchdog.advance();
    if (message !== 'advanced') ({ failure } = message);
  });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(failure);
  } finally {
    watchdog.rest();
  }
}
