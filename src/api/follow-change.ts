import { getMediaChange, type MediaChange } from './generated/api/index.ts';

/** How often a change is asked for, milliseconds. */
const askMs = 400;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks how far a change of many items is until it has ended. */
export async function followChange(
  change: MediaChange,
  onProgress: (change: MediaChange) => void,
): Promise<MediaChange> {
  let latest = change;
  while (latest.state === 'running') {
    onProgress(latest);
    await sleep(askMs);
    latest = (await getMediaChange({ path: { id: change.id } })).data;
  }
  return latest;
}
