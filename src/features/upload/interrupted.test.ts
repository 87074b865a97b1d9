import { beforeEach, expect, test, vi } from 'vitest';
import { continueByHandles, continueChosen, discardInterrupted, offerInterrupted } from './interrupted.ts';
import type { KeptUpload } from './kept-uploads.ts';
import { publishedInterrupted } from './upload-store.ts';
import { noLabels } from './upload.ts';

// No browser: what it keeps is here, and what is uploaded.
const browser = vi.hoisted(() => ({
  found: [] as { id: string; address: string | null }[],
  kept: [] as unknown[],
  dropped: [] as string[],
  continued: [] as { name: string; address: string | null; person: string }[],
  discarded: [] as string[],
  /** Uploads that the service has ended. */
  ended: [] as string[],
  /** Whose uploads go on. */
  senders: [] as string[],
}));
vi.mock('./kept-uploads.ts', () => ({
  findInterrupted: () => Promise.resolve(browser.found.filter(({ id }) => !browser.dropped.includes(id))),
  keepUploads: (uploads: unknown[]) => Promise.resolve(void browser.kept.push(...uploads)),
  dropKept: (ids: string[]) => Promise.resolve(void browser.dropped.push(...ids)),
}));
vi.mock('./read-kept.ts', () => ({
  readKept: (kept: KeptUpload) => Promise.resolve(browser.ended.includes(kept.id) ? null : { ...kept, kept: 3 }),
}));
vi.mock('./run-uploads.ts', () => ({
  endUploadsOfOthers: (person: string) => void browser.senders.push(person),
  continueUploads(files: { file: File; address: string | null }[], person: string) {
    browser.continued.push(...files.map(({ file, address }) => ({ name: file.name, address, person })));
  },
}));
vi.mock('./send-file.ts', () => ({ discardKept: (address: string) => void browser.discarded.push(address) }));

beforeEach(() => {
  publishedInterrupted.set([]);
  for (const list of Object.values(browser)) list.length = 0;
});

const fileOf = (name: string, lastModified = 7) => new File(['0123456789'], name, { lastModified });

/** A handle as browsers have them: of a file, and whether that may be read before and after the person was asked. */
const handleOf = (file: File | null, before: PermissionState, after: PermissionState = before) =>
  ({
    queryPermission: () => Promise.resolve(before),
    requestPermission: () => Promise.resolve(after),
    getFile: () => (file ? Promise.resolve(file) : Promise.reject(new DOMException('Gone.', 'NotFoundError'))),
  }) as unknown as FileSystemFileHandle;

const keptOf = (name: string, handle: FileSystemFileHandle | null = null): KeptUpload => ({
  id: `before-${name}`,
  visit: 'before',
  person: 'here',
  name,
  size: 10,
  lastModified: 7,
  labels: noLabels,
  sentLabels: null,
  address: `/uploads/${name}`,
  kept: 4,
  at: 0,
  handle,
});

const offered = () => publishedInterrupted.get().map(({ name }) => name);
const continued = () => browser.continued.map(({ name }) => name);

test('files that are chosen again go on where they were; others, and those that were changed, are new', async () => {
  browser.found.push(keptOf('a'), keptOf('b'), keptOf('c'));
  await offerInterrupted('here');
  expect(offered()).toEqual(['a', 'b', 'c']);
  const others = await continueChosen([fileOf('a'), fileOf('b', 8), fileOf('d'), fileOf('a')]);
  expect(others.map(({ name }) => name)).toEqual(['b', 'd', 'a']);
  expect(browser.continued).toEqual([{ name: 'a', address: '/uploads/a', person: 'here' }]);
  expect(offered()).toEqual(['b', 'c']);
  expect(browser.dropped).toEqual(['before-a']);
});

test('files that may be read go on by themselves, others once the person allows it; what is gone or changed has to be chosen', async () => {
  browser.found.push(
    keptOf('a', handleOf(fileOf('a'), 'granted')),
    keptOf('b', handleOf(fileOf('b'), 'prompt', 'granted')),
    keptOf('c', handleOf(fileOf('c'), 'prompt', 'denied')),
    keptOf('d', handleOf(null, 'prompt', 'granted')),
    keptOf('e', handleOf(fileOf('e', 8), 'granted')),
    keptOf('f'),
  );
  await offerInterrupted('here');
  expect(continued()).toEqual(['a']);
  expect(await continueByHandles()).toBe(3);
  expect(continued()).toEqual(['a', 'b']);
  expect(offered()).toEqual(['c', 'd', 'e', 'f']);
  expect(publishedInterrupted.get().every(({ handle }) => handle === null)).toBe(true);
  expect(browser.kept).toMatchObject([
    { name: 'c', handle: null },
    { name: 'd', handle: null },
    { name: 'e', handle: null },
  ]);
});

test('what another page has gone on with meanwhile is a new file here', async () => {
  browser.found.push(keptOf('a'), keptOf('b'));
  await offerInterrupted('here');
  browser.dropped.push('before-a');
  expect((await continueChosen([fileOf('a'), fileOf('b')])).map(({ name }) => name)).toEqual(['a']);
  expect(continued()).toEqual(['b']);
});

test('what is discarded is forgotten here and by the service', async () => {
  browser.found.push(keptOf('a'), { ...keptOf('b'), address: null });
  await offerInterrupted('here');
  await discardInterrupted();
  expect(offered()).toEqual([]);
  expect(browser.discarded).toEqual(['/uploads/a']);
  expect(browser.dropped).toEqual(['before-a', 'before-b']);
});

test('what another page has gone on with meanwhile is not discarded here', async () => {
  browser.found.push(keptOf('a'), keptOf('b'));
  await offerInterrupted('here');
  browser.dropped.push('before-a');
  await discardInterrupted();
  expect(browser.discarded).toEqual(['/uploads/b']);
});

test('an upload that was discarded meanwhile is forgotten and does not start again by itself; others report what has arrived', async () => {
  browser.found.push(keptOf('a', handleOf(fileOf('a'), 'granted')), keptOf('b'));
  browser.ended.push('before-a');
  await offerInterrupted('here');
  expect(continued()).toEqual([]);
  expect(browser.dropped).toEqual(['before-a']);
  expect(publishedInterrupted.get()).toMatchObject([{ name: 'b', kept: 3 }]);
});

test('what is offered to one person is gone when the next one is signed in', async () => {
  browser.found.push(keptOf('a'));
  await offerInterrupted('here');
  browser.found.length = 0;
  await offerInterrupted('another');
  expect(offered()).toEqual([]);
  expect(browser.senders).toEqual(['here', 'another']);
});
