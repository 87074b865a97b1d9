import { dropKept, findInterrupted, keepUploads, type KeptUpload } from './kept-uploads.ts';
import { readKept } from './read-kept.ts';
import { continueUploads, endUploadsOfOthers } from './run-uploads.ts';
import { discardKept } from './send-file.ts';
import { publishedInterrupted } from './upload-store.ts';

/** TypeScript does not know the permissions of handles yet (WICG File System Access). */
type Handle = FileSystemFileHandle & {
  queryPermission?: (descriptor: { mode: 'read' }) => Promise<PermissionState>;
  requestPermission?: (descriptor: { mode: 'read' }) => Promise<PermissionState>;
};

type Chosen = { kept: KeptUpload; file: File };

/**
 * Looks for uploads that an earlier visit of a person did not end. Those whose files may be read go on by themselves, the others are offered. What
 * the page shows of a person who was signed in before goes.
 */
export async function offerInterrupted(person: string): Promise<void> {
  endUploadsOfOthers(person);
  publishedInterrupted.set([]);
  // One page after the other: several of a window that is opened again would go on with the same file.
  await oneByOne(async () => {
    const found = await dropEnded(await findInterrupted(person));
    const readable = await readHandles(found, (handle) => handle.queryPermission?.({ mode: 'read' }));
    publishedInterrupted.set(found);
    await takeUp(readable);
  });
}

/** What can still go on, as the service has it now: a discarded one must not start again by itself. */
async function dropEnded(found: readonly KeptUpload[]): Promise<KeptUpload[]> {
  const current = await Promise.all(found.map(readKept));
  const ended = found.filter((_, i) => current[i] === null);
  if (ended.length > 0) await dropKept(ended.map(({ id }) => id));
  return current.filter((kept) => kept !== null);
}

/** What is still offered, and no other page has gone on with. */
async function readOffer(): Promise<KeptUpload[]> {
  const [first] = publishedInterrupted.get();
  if (!first) return [];
  const found = await findInterrupted(first.person);
  publishedInterrupted.set(found);
  return found;
}

const oneByOne = (work: () => Promise<void>): Promise<void> =>
  // Without HTTPS there are no locks.
  navigator.locks ? navigator.locks.request('uploads offered', work) : work();

/** Goes on with those of the files that were interrupted. Returns the others. */
export async function continueChosen(files: readonly File[]): Promise<File[]> {
  const open = await readOffer();
  const chosen: Chosen[] = [];
  const others: File[] = [];
  for (const file of files) {
    const index = open.findIndex((kept) => isSame(kept, file));
    const [kept] = index < 0 ? [] : open.splice(index, 1);
    if (kept) chosen.push({ kept, file });
    else others.push(file);
  }
  await takeUp(chosen);
  return others;
}

/** Goes on with the files that the browser can open again, after it asked the person. Returns how many of them are gone or changed. */
export async function continueByHandles(): Promise<number> {
  const open = (await readOffer()).filter(({ handle }) => handle !== null);
  const chosen = await readHandles(open, (handle) => handle.requestPermission?.({ mode: 'read' }));
  const lost = open.filter((kept) => !chosen.some((entry) => entry.kept === kept)).map(({ id }) => id);
  await takeUp(chosen);
  // From now on they have to be chosen.
  const rest = publishedInterrupted.get().map((kept) => (lost.includes(kept.id) ? { ...kept, handle: null } : kept));
  publishedInterrupted.set(rest);
  await keepUploads(rest.filter(({ id }) => lost.includes(id)));
  return lost.length;
}

/** Forgets all that is offered, here and on the service, but for what another page has gone on with. */
export async function discardInterrupted(): Promise<void> {
  const open = await readOffer();
  publishedInterrupted.set([]);
  for (const { address } of open) if (address !== null) discardKept(address);
  await dropKept(open.map(({ id }) => id));
}

const isSame = (kept: KeptUpload, { name, size, lastModified }: File): boolean =>
  kept.name === name && kept.size === size && kept.lastModified === lastModified;

/** The files of handles that may be read and are what they were. */
async function readHandles(
  open: readonly KeptUpload[],
  ask: (handle: Handle) => Promise<PermissionState> | undefined,
): Promise<Chosen[]> {
  const chosen: Chosen[] = [];
  for (const kept of open) {
    try {
      if (kept.handle === null || (await ask(kept.handle)) !== 'granted') continue;
      const file = await kept.handle.getFile();
      // The next visit may need it as well.
      if (isSame(kept, file)) chosen.push({ kept, file: Object.assign(file, { handle: kept.handle }) });
    } catch {
      // Moved or deleted.
    }
  }
  return chosen;
}

async function takeUp(chosen: readonly Chosen[]): Promise<void> {
  if (chosen.length === 0) return;
  const taken = new Set(chosen.map(({ kept }) => kept.id));
  const [first] = chosen;
  continueUploads(
    chosen.map(({ kept: { labels, sentLabels, address }, file }) => ({
      file,
      labels,
      sentLabels: address === null ? null : (sentLabels ?? labels),
      address,
    })),
    first?.kept.person ?? '',
  );
  publishedInterrupted.set(publishedInterrupted.get().filter(({ id }) => !taken.has(id)));
  // What this visit keeps of them is written before, so that none is lost in between.
  await dropKept([...taken]);
}
