import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from '@media-search/search-engine/vectors';
import { sql } from 'kysely';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { issueApiKey } from '../../server/catalog/accounts/api-keys.ts';
import { createWebhook } from '../../server/catalog/events/webhooks.ts';
import { createSavedSearch } from '../../server/catalog/searches/saved-searches.ts';
import { loadSecrets, secretFile } from '../../server/platform/crypto/secrets.ts';
import { startReceiver } from '../../server/testing/webhook-receiver.ts';
import { startFollowers } from './events/followers.ts';
import { processorTime } from './process-use.ts';
import { startSeededService } from './seeded-service.ts';
import { quantile } from './vectors.ts';

/**
 * What it costs the service that clients wait for items: by the stream of events, and by asking `GET /media?ids=` each second. Then what the log of events,
 * a webhook and 50 saved searches that notify add to an upload, by turns. Linux only: processor time is read from /proc; that of the
 * workers, which index, is not counted.
 *
 *     npm run node -- lab/bench/events.ts [--items 100] [--clients 1,100,200,1000] [--rounds 5]
 */

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '100' },
    clients: { type: 'string', default: '1,100,200,1000' },
    rounds: { type: 'string', default: '5' },
  },
});
const items = Number(values.items);
/** Streams that one key may have. */
const streamsPerKey = 100;
/** How long clients may need to learn of the last item, milliseconds. */
const patienceMs = 3000;

await using service = await startSeededService(0, { ALLOWED_ADDRESSES: '127.0.0.1' });
const { db, workspaceId, url, pid } = service;
const secrets = await loadSecrets(secretFile(service.dataDirectory));
let photos = 0;

/** Uploads photos that were not there yet and waits until all are indexed. @param onItem is told of each */
async function addPhotos(count: number, onItem: (id: string) => void = () => undefined): Promise<string[]> {
  const files: string[] = [];
  for (let i = 0; i < count; i++) {
    photos += 1;
    const file = path.join(service.folder, `${photos}.png`);
    await makePhoto(file, plain(photos % 256, Math.floor(photos / 256), 90));
    files.push(file);
  }
  began = await processorTime(pid);
  const ids: string[] = [];
  for (const file of files) {
    const { id } = (await service.client.upload(file)).data;
    ids.push(id);
    onItem(id);
  }
  for (;;) {
    const open = db.selectFrom('media_items').select('id').where('status', 'in', ['pending', 'indexing']);
    if ((await open.execute()).length === 0) return ids;
    await delay(50);
  }
}

/** Processor time when the uploads began. */
let began = 0;

/** When items were complete, milliseconds since 1970. */
async function readCompletions(ids: string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('events')
    .select(['media_id', 'created_at'])
    .where('type', '=', 'media.completed')
    .where('media_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ media_id, created_at }) => [media_id ?? '', Date.parse(created_at)]));
}

async function compareFollowing(): Promise<void> {
  const keys: string[] = [];
  const counts = values.clients.split(',').map(Number);
  for (let i = 0; i * streamsPerKey < Math.max(...counts); i++) {
    keys.push((await issueApiKey(db, secrets, workspaceId)).key);
  }
  await addPhotos(5);
  await addPhotos(items);
  await delay(patienceMs);
  const alone = (await processorTime(pid)) - began;
  console.log(
    '| clients | way | processor time, ms | more than without clients, a client | KiB a client | known after, s p50 / 99 % | items not known | refused |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  console.log(`| 0 | | ${alone} | | | | | |`);
  for (const count of counts) {
    for (const way of ['stream', 'polling'] as const) {
      const followers = await startFollowers({ way, url, keys, count });
      const ids = await addPhotos(items, followers.add);
      await delay(patienceMs);
      const processor = (await processorTime(pid)) - began;
      const { times, bytes, refused } = await followers.stop();
      const completions = await readCompletions(ids);
      const late = ids.flatMap((id) => (times[id] ?? []).map((time) => (time - (completions.get(id) ?? 0)) / 1000));
      const row = [
        count,
        way,
        processor,
        ((processor - alone) / count).toFixed(1),
        (bytes / 1024 / count).toFixed(1),
        late.length === 0 ? '–' : `${quantile(late, 0.5).toFixed(3)} / ${quantile(late, 0.99).toFixed(3)}`,
        items * count - late.length,
        refused,
      ];
      console.log(`| ${row.join(' | ')} |`);
    }
  }
}

/** Sets up something that uploads then pay for, and returns what takes it back. */
type Setting = () => Promise<() => Promise<unknown>>;

const settings: Record<string, Setting> = {
  'without a log': async () => {
    const { rows } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_master where type = 'trigger' and name glob 'events_*'`.execute(db);
    for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(db);
    return async () => {
      for (const trigger of rows) await sql.raw(trigger.sql).execute(db);
    };
  },
  'log of events': () => Promise.resolve(() => Promise.resolve()),
  'and a webhook of all events': async () => {
    const receiver = await startReceiver();
    await createWebhook(db, secrets, workspaceId, {
      url: receiver.url,
      description: '',
      types: ['media.created', 'media.progress', 'media.completed'],
    });
    return async () => {
      await db.deleteFrom('webhooks').execute();
      await receiver[Symbol.asyncDispose]();
    };
  },
  'and 50 saved searches that notify': async () => {
    for (let i = 0; i < 50; i++) {
      await createSavedSearch(db, workspaceId, {
        name: `${i}`,
        page: 'search',
        parameters: { q: `red ${i}` },
        notify: true,
      });
    }
    return () => db.deleteFrom('saved_searches').execute();
  },
};

async function compareCosts(count: number): Promise<void> {
  const names = Object.keys(settings);
  const costs = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [i] of names.entries()) {
      const name = names[(i + round) % names.length] as string;
      const undo = await (settings[name] as Setting)();
      await addPhotos(count);
      // Deliveries and matches come after the items.
      await delay(2000);
      costs.get(name)?.push(((await processorTime(pid)) - began) / count);
      await undo();
    }
  }
  console.log('\n| | processor time a photo, ms | of no log |');
  console.log('| --- | --- | --- |');
  const least = costs.get('without a log') ?? [];
  for (const [name, list] of costs) {
    const ratio = median(list.map((cost, i) => cost / (least[i] as number)));
    console.log(`| ${name} | ${median(list).toFixed(1)} | ${ratio.toFixed(2)} |`);
  }
}

await compareFollowing();
await compareCosts(20);
