import type { UseStore } from 'idb-keyval';
import type { UploadLabels } from './upload.ts';

/** An upload that the browser remembers until the service has the file, so that a later visit can go on with it. */
export type KeptUpload = {
  /** Names it in the browser: its visit and its place there. */
  id: string;
  /** The visit that sends it. */
  visit: string;
  /** Whose it is, as `usePersonKey` says it: others may use the same browser. */
  person: string;
  /** By name, size in bytes and time of the last change (ms) the file is recognised when it is chosen again. */
  name: string;
  size: number;
  lastModified: number;
  labels: UploadLabels;
  /** Those with which its sending began; null before. */
  sentLabels: UploadLabels | null;
  /** Where the service keeps what it has of the file; null while that is nothing. */
  address: string | null;
  /** Bytes that the service keeps. */
  kept: number;
  /** `Date.now` of the last change. */
  at: number;
  /** The file itself, where the browser gives one that outlasts the page. */
  handle: FileSystemFileHandle | null;
};

/** Older ones are forgotten. The service itself forgets what it keeps of a file a day after its last byte. */
const maxAgeMs = 7 * 24 * 3_600_000;

/** Says in the local storage that there may be some, so that a page without any loads nothing for it. */
const mark = 'uploads kept';
export const mayHaveKept = (): boolean => localStorage.getItem(mark) !== null;

let store: UseStore | undefined;

/** Loaded with the first file. */
async function openDatabase() {
  const database = await import('idb-keyval');
  store ??= database.createStore('uploads', 'files');
  return { ...database, store };
}

/** Changes are written one after the other, in the order in which they were asked for. */
let written = Promise.resolve();

function write(change: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<unknown>): Promise<void> {
  const before = written;
  const run = async () => {
    await before;
    try {
      await change(await openDatabase());
    } catch {
      // A browser that keeps nothing (a private window, a full disk) begins such files again.
    }
  };
  written = run();
  return written;
}

export const keepUploads = (uploads: readonly KeptUpload[]): Promise<void> =>
  write(({ setMany, store }) => {
    localStorage.setItem(mark, '');
    return setMany(
      uploads.map((upload) => [upload.id, upload]),
      store,
    );
  });

export const dropKept = (ids: readonly string[]): Promise<void> =>
  write(({ delMany, store }) => delMany([...ids], store));

/** Those of a person which no open page sends, oldest first. */
export async function findInterrupted(person: string): Promise<KeptUpload[]> {
  const found: KeptUpload[] = [];
  const alive = await findVisits();
  await write(async ({ values, delMany, store }) => {
    const all = await values<KeptUpload>(store);
    const old = all.filter(({ at }) => Date.now() - at > maxAgeMs);
    if (old.length > 0)
      await delMany(
        old.map(({ id }) => id),
        store,
      );
    if (all.length === old.length) localStorage.removeItem(mark);
    found.push(...all.filter((kept) => !old.includes(kept) && kept.person === person && !alive.has(kept.visit)));
  });
  return found.toSorted((a, b) => a.at - b.at);
}

/** Forgets the files of the person who signs out. */
export async function forgetKeptUploads(): Promise<void> {
  if (!mayHaveKept()) return;
  localStorage.removeItem(mark);
  await write(({ clear, store }) => clear(store));
}

const lockPrefix = 'uploads of ';

/** Lets the other pages know that this one is open, until it closes. Without locks (no HTTPS) they cannot tell. */
export function announceVisit(visit: string): void {
  void navigator.locks?.request(lockPrefix + visit, () => new Promise(() => {}));
}

async function findVisits(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return new Set(held.map(({ name = '' }) => name.slice(lockPrefix.length)));
}
