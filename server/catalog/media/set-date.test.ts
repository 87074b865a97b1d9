import { describe, expect, test } from 'vitest';
import { setHere } from '../../../contract/media-details.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, indexed, openTestCatalog, reload } from '../../testing/test-catalog.ts';
import { completeIndexing } from '../queue/indexing-jobs.ts';
import { changeMedia, type MediaRow } from './media-items.ts';
import { replaceIndexedMedia } from './store-indexed-media.ts';

const dateOf = ({ taken_at: at, taken_zone: zone, taken_text: text, taken_source: source }: MediaRow) => ({
  at,
  zone,
  text,
  source,
});
const inFile = {
  at: '2026-07-14T19:12:08.000Z',
  zone: '+02:00',
  text: '2026-07-14T21:12:08+0200',
  source: 'QuickTime creationdate',
};

describe.each(backends)('over %s', (backend) => {
  /** An item whose date is set at some time while its file is indexed, and indexed again. */
  async function indexTwice(text: string | null) {
    await using t = await openTestCatalog(backend);
    const { id } = await t.add();
    const job = await claim(t.db, 'worker');
    if (text !== null) await changeMedia(t.db, t.workspaceId, id, { taken_at: text });
    await completeIndexing(t.db, job, indexed(['one']));
    const first = await reload(t.db, { id, workspace_id: t.workspaceId } as MediaRow);
    expect(await replaceIndexedMedia(t.db, first, indexed(['one']), 2)).toBe(true);
    const second = await reload(t.db, first);
    expect(dateOf(second)).toEqual(dateOf(first));
    expect(second.camera).toBe('Apple iPhone 15');
    return dateOf(second);
  }

  test('the date of the file is that of the item', async () => {
    expect(await indexTwice(null)).toEqual(inFile);
  });

  test('a date that was set stays when the file is indexed, also again', async () => {
    expect(await indexTwice('2020-01-02T03:04:05.678-03:30')).toEqual({
      at: '2020-01-02T06:34:05.678Z',
      zone: '-03:30',
      text: '2020-01-02T03:04:05.678-03:30',
      source: setHere,
    });
    // The same clock time without its zone is another date.
    expect(await indexTwice('2026-07-14T21:12:08')).toMatchObject({ at: '2026-07-14T21:12:08.000Z', zone: null });
  });

  test('one that the file says as well is the date of the file', async () => {
    expect(await indexTwice('2026-07-14T21:12:08+02:00')).toEqual(inFile);
  });
});
