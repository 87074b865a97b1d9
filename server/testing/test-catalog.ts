import { randomUUIDv7 } from 'node:crypto';
import type { IndexedMedia } from '@media-search/indexing/indexed-media';
import { vi } from 'vitest';
import { createWorkspace } from '../catalog/accounts/workspaces.ts';
import { dialectOf } from '../catalog/dialect/dialect.ts';
import { addMedia, findStoredMedia, type MediaRow, type NewMedia } from '../catalog/media/media-items.ts';
import { claimJob, type Job } from '../catalog/queue/job-queue.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ItemJobKind } from '../catalog/tables/jobs.ts';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { type Backend, openFresh } from './fresh-catalog.ts';

const nothingElse = () => Promise.resolve();

/** An empty catalog, in memory or on the server of the tests, with one workspace. `add` adds an item to it, or to another, and `addWorkspace` another one. */
export async function openTestCatalog(backend: Backend = 'sqlite') {
  const fresh = await openFresh(backend);
  const { db } = fresh;
  const addWorkspace = (name: string) =>
    createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: name, owner: 'Tester' });
  const workspace = await addWorkspace('Test');
  let count = 0;
  let lastId = '';
  /** Those of one millisecond come in no order, and jobs are claimed in that of their items. */
  const nextId = (): string => {
    let id = randomUUIDv7();
    while (id < lastId) id = randomUUIDv7();
    return (lastId = id);
  };
  const add = async (filename = 'RedCar_02.mp4', workspaceId = workspace.id) => {
    count += 1;
    const media: NewMedia = {
      workspace_id: workspaceId,
      id: nextId(),
      filename,
      type: 'video',
      mime_type: 'video/mp4',
      size: 1000,
      sha256: String(count).padStart(64, '0'),
      creator_id: null,
      category_id: null,
    };
    const added = await addMedia(db, media, nothingElse);
    if (added.kind !== 'added') throw new Error('The item was not added.');
    return added.row;
  };
  return {
    db,
    location: fresh.location,
    workspaceId: workspace.id,
    add,
    addWorkspace,
    [Symbol.asyncDispose]: () => fresh[Symbol.asyncDispose](),
  };
}

/** What indexing finds: one chunk per text, a second long each, with vectors of `test@1`. The texts are subtitles. */
export const indexed = (texts: (string | null)[]): IndexedMedia => ({
  type: 'video',
  mimeType: 'video/mp4',
  duration: texts.length,
  width: 320,
  height: 180,
  poster: 'poster.webp',
  placeholder: '3OcRJYB4d3h/iIeHeEh3eIhw+j2w',
  rendition: null,
  tags: 'Holiday film',
  fingerprint: [],
  recording: {
    takenAt: '2026-07-14T19:12:08.000Z',
    takenZone: '+02:00',
    takenText: '2026-07-14T21:12:08+0200',
    takenSource: 'QuickTime creationdate',
    camera: 'Apple iPhone 15',
    latitude: 53.5459,
    longitude: 9.9695,
    place: null,
  },
  details: { container: 'MP4', audio_tracks: 0 },
  rating: null,
  warning: null,
  texts: texts.flatMap((text, i) =>
    text === null ? [] : [{ source: 'subtitle', track: 0, language: 'en', start: i, end: i + 1, text }],
  ),
  chunks: texts.map((_, i) => ({
    start: i,
    end: i + 1,
    thumbnail: `chunk-${i}.webp`,
    blank: false,
    embeddings: [
      { embedderId: 'test@1', vector: new Float32Array([1, 0, 0, 0]), views: [new Float32Array([0, 1, 0, 0])] },
    ],
  })),
});

/** The item as it is now. */
export const reload = async (db: Catalog, media: MediaRow) => {
  const row = await findStoredMedia(db, media.workspace_id, media.id);
  if (!row) throw new Error('The item is gone.');
  return row;
};

/** Claims a job that is there. */
export async function claim<Kind extends ItemJobKind = 'index'>(
  db: Catalog,
  worker: string,
  kind: Kind = 'index' as Kind,
): Promise<Job<Kind>> {
  const job = await claimJob(db, worker);
  if (job?.kind !== kind) throw new Error(`There is no free job of kind ${kind}.`);
  return job as Job<Kind>;
}

/** Sets the clock of this process on, or back. */
export function advanceClock(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}

/** Lets time pass, or sets the clock back, for leases and jobs that wait: on PostgreSQL they go by the clock of the server. */
export async function elapse(db: Catalog, seconds: number): Promise<void> {
  if (dialectOf(db).name === 'sqlite') {
    advanceClock(seconds);
    return;
  }
  const earlier = (time: string | null) => time && new Date(Date.parse(time) - seconds * 1000).toISOString();
  for (const job of await db.selectFrom('jobs').selectAll().execute()) {
    await db
      .updateTable('jobs')
      .set({ lease_until: earlier(job.lease_until), available_at: earlier(job.available_at) })
      .where('workspace_id', '=', job.workspace_id)
      .where('media_id', '=', job.media_id)
      .where('kind', '=', job.kind)
      .execute();
  }
}
