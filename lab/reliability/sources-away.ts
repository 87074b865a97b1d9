import { execFileSync } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaItem } from '../../contract/media.ts';
import type { Source } from '../../contract/sources.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import { canMount, mountFailing } from './campaign/failing-mount.ts';
import { campaignSettings, startServiceProcess } from './campaign/service-process.ts';

/**
 * A source that goes away: a share that hangs, one whose every answer is an error, one that is taken away, and a bind mount that is removed, which leaves an
 * empty folder. Meanwhile searches and thumbnails answer as before, nothing is deleted or indexed again, and one sentence says what is wrong. It needs root
 * on Linux, for mounts; without, it says so and runs nothing.
 *
 *     npm run node -- lab/reliability/sources-away.ts [--away n]
 */

if (!canMount()) {
  console.log('sources-away: needs root on Linux and /dev/fuse, so nothing was run.');
  process.exit();
}
const campaign = startCampaign('sources-away', { rounds: 1, seconds: 3600, away: 60 });
const { count, violation } = campaign;
/** An answer while it is away, milliseconds. */
const maxWaitMs = 2000;

await using folder = await temporaryFolder();
const [disk, share, bound] = ['disk', 'share', 'bound'].map((name) => folder.file(name)) as [string, string, string];
for (const each of [disk, share, bound]) await mkdir(each);
for (let i = 0; i < 30; i++)
  await makePhoto(path.join(disk, `${i}.jpg`), plain(8 * i, 90, 240 - 8 * i), { width: 320, height: 240 });
const stateOfFiles = async () =>
  JSON.stringify(
    await Promise.all((await readdir(disk)).map(async (name) => [name, (await stat(path.join(disk, name))).mtimeMs])),
  );
const before = await stateOfFiles();
let mount = mountFailing(disk, share);
const bind = () => execFileSync('mount', ['--bind', disk, bound]);
const unmount = (at: string) => execFileSync('umount', ['-l', at]);
bind();

for (const _ of campaign.rounds()) {
  const service = await startServiceProcess({
    ...campaignSettings,
    DATA_DIR: folder.file('data'),
    SOURCES: `Share=${share},Bound=${bound}`,
    SOURCE_ROOTS: folder.path,
  });
  const client = createTestClient(service.url, service.key);
  const list = async () => (await client.get<MediaItem[]>('/media?per_page=100&sort=filename')).data;
  const find = async (name: string) =>
    (await client.get<Source[]>('/sources')).data.find((each) => each.name === name) as Source;
  const until = async (what: string, seconds: number, isDone: () => Promise<boolean>) => {
    const began = performance.now();
    while (!(await isDone())) {
      if (performance.now() - began > seconds * 1000) return violation('too late', what);
      await sleep(200);
    }
    count(`seconds until ${what}`, Math.round((performance.now() - began) / 1000));
  };
  const search = async () => (await client.search('red')).data.map(({ id }) => id);
  await until('all is indexed', 600, async () => {
    const items = await list();
    return items.length > 0 && items.every(({ status }) => status === 'complete');
  });
  const known = await list();
  const hits = JSON.stringify(await search());
  count('items', known.length);

  /** What has to hold while a source is away. */
  const checkWhile = async (name: string, codes: string[], seconds: number) => {
    const { id } = await find(name);
    const ended = performance.now() + seconds * 1000;
    let slowest = 0;
    const began = performance.now();
    let offlineAfter = Infinity;
    for (let i = 0; performance.now() < ended; i++) {
      if (i % 20 === 0) await client.post(`/sources/${id}/scan`, {});
      const asked = performance.now();
      const found = JSON.stringify(await search());
      const { status } = await fetch(new URL(known[i % known.length]?.thumbnail ?? '', service.url));
      slowest = Math.max(slowest, performance.now() - asked);
      if (found !== hits) violation('search', `${name}: other hits.`);
      if (status !== 200) violation('thumbnail', `${name}: ${status}.`);
      const source = await find(name);
      if (source.state === 'offline') {
        offlineAfter = Math.min(offlineAfter, performance.now() - began);
        if (!codes.includes(source.problem?.code ?? '')) violation('problem', JSON.stringify(source.problem));
        else if (i % 40 === 0) console.log(`${name}: ${source.problem?.code}: ${source.problem?.message}`);
      }
      await sleep(500);
    }
    if (slowest > maxWaitMs) violation('slow', `${name}: ${slowest.toFixed(0)} ms.`);
    if (offlineAfter === Infinity) violation('not offline', JSON.stringify(await find(name)));
    count(`ms an answer took at most: ${name} ${codes[0]}`, Math.round(slowest));
    const items = await list();
    if (items.length !== known.length) violation('deleted', `${known.length - items.length} items.`);
    if (items.some(({ source }) => source?.name === name && !source.offline)) violation('not marked', name);
  };
  /** @param from what it was away by */
  const checkBack = async (name: string, from: string) => {
    const { id } = await find(name);
    await client.post(`/sources/${id}/scan`, {});
    await until(`${name} is back from ${from}`, 120, async () => (await find(name)).state === 'ready');
    const items = await list();
    const again = items.filter((item, i) => item.indexed_at !== known[i]?.indexed_at || item.source?.offline !== false);
    if (again.length > 0) violation('indexed again', JSON.stringify(again.map(({ filename }) => filename)));
  };

  mount.set('hangs');
  await checkWhile('Share', ['hangs'], campaign.option('away'));
  mount.set('works');
  await checkBack('Share', 'hanging');
  mount.set('fails');
  await checkWhile('Share', ['eio'], campaign.option('away'));
  mount.set('works');
  await checkBack('Share', 'failing');
  mount.unmount();
  await checkWhile('Share', ['empty', 'not_mounted'], campaign.option('away'));
  mount = mountFailing(disk, share);
  await checkBack('Share', 'being unmounted');
  unmount(bound);
  await checkWhile('Bound', ['empty', 'not_mounted'], campaign.option('away'));
  bind();
  await checkBack('Bound', 'being unmounted');
  if ((await stateOfFiles()) !== before) violation('written', 'A file of the source is another.');
  await service.stop();
}
mount.unmount();
unmount(bound);
campaign.report();
