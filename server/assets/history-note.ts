import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { historyNotePath } from './disk-layout.ts';

/**
 * A text of some bytes that is kept among the originals, not beside the catalog: whatever else of a data folder an older copy replaces, as long as
 * the originals stay, so does this.
 */
export type HistoryNote = {
  /** Null when there is none. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
};

/** The note in a data folder. */
export function createDiskHistoryNote(dataDirectory: string): HistoryNote {
  const file = path.join(dataDirectory, historyNotePath);
  return {
    read: () => readFile(file, 'utf8').catch(() => null),
    async write(text) {
      await mkdir(path.dirname(file), { recursive: true });
      // Not synced: where a power cut takes it, the catalog is known from the next start on.
      await writeFile(`${file}.new`, text, { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
  };
}
