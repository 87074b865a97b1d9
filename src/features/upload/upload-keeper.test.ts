import { expect, test } from 'vitest';
import type { KeptUpload } from './kept-uploads.ts';
import { UploadKeeper } from './upload-keeper.ts';
import { UploadQueue } from './upload-queue.ts';
import { noLabels } from './upload.ts';

/** A queue whose uploads are sent when the test says so, and what is kept of them, by identifier. */
function setUp() {
  const kept = new Map<string, KeptUpload>();
  const writes: string[][] = [];
  const sent: ((mediaId: string) => void)[] = [];
  const addresses: ((address: string) => void)[] = [];
  const queue = new UploadQueue(
    {
      findStored: () => Promise.resolve(null),
      send: (_, { address, progress }) =>
        new Promise((resolve) => {
          addresses.push((text) => {
            address(text);
            progress(4, 4);
          });
          sent.push((mediaId) => resolve({ outcome: 'sent', mediaId, duplicate: false }));
        }),
      discard: () => {},
      onStored: () => {},
      relabel: () => {},
      retryIndexing: () => Promise.resolve(),
    },
    'visit',
  );
  const keeper = new UploadKeeper(
    {
      keep(uploads) {
        writes.push(uploads.map(({ id }) => id));
        for (const upload of uploads) kept.set(upload.id, upload);
        return Promise.resolve();
      },
      drop(ids) {
        writes.push([...ids]);
        for (const id of ids) kept.delete(id);
        return Promise.resolve();
      },
    },
    'visit',
  );
  queue.subscribe(() => keeper.note(queue.getState().uploads, 'here'));
  return { queue, keeper, kept, writes, sent, addresses };
}

const settle = () => new Promise((resolve) => void setTimeout(resolve, 0));

test('all that is not sent is kept, with how far it is, until the service has it or it is cancelled', async () => {
  const { queue, kept, writes, sent, addresses } = setUp();
  const files = ['a', 'b', 'c'].map((name) => new File(['0123456789'], name, { lastModified: 7 }));
  queue.add(files, { ...noLabels, tags: 'sea' });
  expect([...kept.keys()]).toEqual(['visit-1', 'visit-2', 'visit-3']);
  expect(kept.get('visit-3')).toMatchObject({
    person: 'here',
    name: 'c',
    size: 10,
    lastModified: 7,
    labels: { ...noLabels, tags: 'sea' },
    address: null,
    handle: null,
  });
  await settle();
  addresses[0]?.('/uploads/1');
  expect(kept.get('visit-1')).toMatchObject({ address: '/uploads/1', kept: 4 });
  queue.cancel(2);
  sent[0]?.('media');
  await settle();
  expect([...kept.keys()]).toEqual(['visit-3']);
  // Written when something of it changed only: three at once, the address, its bytes, and what went.
  expect(writes).toEqual([['visit-1', 'visit-2', 'visit-3'], ['visit-1'], ['visit-1'], ['visit-2'], ['visit-1']]);
});

test('when another person is signed in all ends, and stays kept for the one who began it', async () => {
  const { queue, keeper, kept, sent, addresses } = setUp();
  queue.add(['a', 'b'].map((name) => new File(['0123456789'], name)));
  await settle();
  addresses[0]?.('/uploads/1');
  const before = new Map(kept);
  keeper.leave();
  queue.clear();
  expect(queue.getState().uploads).toEqual([]);
  addresses[1]?.('/uploads/2');
  sent[0]?.('media');
  await settle();
  expect(kept).toEqual(before);
  queue.add([new File(['0123456789'], 'c')]);
  expect(kept.get('visit-3')).toMatchObject({ name: 'c' });
});
