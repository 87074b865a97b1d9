import { type FSWatcher, watch } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';

/** Folders that are watched at most: the system keeps a watch for each, and has 8,192 for a user where it has fewest. */
const maxFolders = 6000;
/** Changes are told together when none came for so long, milliseconds. */
const quietMs = 500;
/** They are told after so long at most, also where files are written all the time, milliseconds. */
const longestMs = 5000;

/** File systems, by the number that `statfs` gives (`man 2 statfs`), whose changes on other machines this one is not told of. */
const remoteTypes = new Set([
  0x6969, 0xff534d42, 0xfe534d42, 0x517b, 0x65735546, 0x01021997, 0x5346414f, 0x564c, 0x00c36400,
]);

/** Whether the system tells of all changes in a folder: not on network shares and FUSE, where others may change them. */
export async function tellsOfChanges(folder: string): Promise<boolean> {
  const { type } = await statfs(folder);
  return !remoteTypes.has(type >>> 0);
}

/**
 * Watches folders, each by itself.
 * @param onChange gets the folders, below the root, in which something changed
 * @param onEnd is called when the system watches no more folders: then changes are missed
 */
export function createFolderWatch(root: string, onChange: (folders: string[]) => void, onEnd: () => void) {
  const watched = new Map<string, { watcher: FSWatcher; identity: string }>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  /** When the first of the changes came that are not told yet. */
  let since = 0;
  let ended = false;

  function end(): void {
    if (ended) return;
    ended = true;
    for (const { watcher } of watched.values()) watcher.close();
    watched.clear();
    clearTimeout(timer);
    onEnd();
  }

  function note(folder: string): void {
    if (changed.size === 0) since = performance.now();
    changed.add(folder);
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        onChange([...changed]);
        changed.clear();
      },
      Math.min(quietMs, Math.max(0, since + longestMs - performance.now())),
    );
  }

  function remove(folder: string): void {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  }

  return {
    /** Watches a folder, where it is not watched already. @param identity tells it from another that was made in its place */
    add(folder: string, identity: string): void {
      if (ended || watched.get(folder)?.identity === identity) return;
      // A watch is of a folder, not of its path.
      remove(folder);
      if (watched.size >= maxFolders) return end();
      try {
        const watcher = watch(path.join(root, folder), { persistent: false }, () => note(folder));
        watched.set(folder, { watcher, identity });
        watcher.on('error', (error: NodeJS.ErrnoException) => {
          watcher.close();
          if (watched.get(folder)?.watcher === watcher) watched.delete(folder);
          // Deleted, which its parent tells of.
          if (error.code !== 'ENOENT' && error.code !== 'EPERM') end();
        });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') end();
      }
    },
    end,
  };
}
