import { createHash, randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createClient, getMedia, listMedia, uploadFile } from '../../clients/typescript/index.ts';
import { openFile } from '../../clients/typescript/node.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startS3Server } from '../../server/testing/s3-server.ts';
import { temporaryDatabase, testDatabaseUrl } from '../../server/testing/temporary-database.ts';
import { startCampaign } from './campaign/campaign.ts';
import { type Break, startInterruptingProxy } from './campaign/interrupting-proxy.ts';
import { admin, campaignSettings, type ServiceProcess, startServiceProcess } from './campaign/service-process.ts';

/**
 * Uploads a large file by the client, while its connection is cut and the service is killed with `kill -9`, always in the middle of a part. Of
 * every third cut the service does not learn: it waits for a body that never ends. A violation: bytes that were acknowledged are sent again, what
 * arrived differs from what was sent, more or less than one item is there, or something is left of the upload.
 *
 *     npm run node -- lab/reliability/uploads.ts [--seed n] [--megabytes n] [--cuts n] [--kills n] [--bucket 1]
 *
 * With `TEST_DATABASE_URL` the catalog is in PostgreSQL; `--bucket 1`: files are in a bucket of its own, in memory.
 */

const mebibyte = 2 ** 20;
const campaign = startCampaign('uploads', { rounds: 1, seconds: 3600, megabytes: 2048, cuts: 10, kills: 2, bucket: 0 });
const { count, integer, option, violation } = campaign;
const length = option('megabytes') * mebibyte;

await using stack = new AsyncDisposableStack();
const folder = stack.use(await temporaryFolder());
const settings: Record<string, string> & { DATA_DIR: string } = { ...campaignSettings, DATA_DIR: folder.file('data') };
if (testDatabaseUrl !== undefined) settings['DATABASE_URL'] = stack.use(await temporaryDatabase()).url;
if (option('bucket') === 1) {
  Object.assign(settings, stack.use(await startS3Server()).environment, { STORAGE_URL: 's3://media/uploads' });
}

/** Writes a file that begins as a film does, and is none. @returns its SHA-256 */
async function makeFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await using handle = await open(file, 'w');
  const block = randomBytes(mebibyte);
  for (let i = 0; i < length / mebibyte; i++) {
    block.writeUInt32LE(i, 64);
    if (i === 0) block.set(Buffer.from('000001ba', 'hex'));
    hash.update(block);
    await handle.write(block);
  }
  return hash.digest('hex');
}

async function hashOf(url: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of (await fetch(url)).body ?? []) hash.update(bytes);
  return hash.digest('hex');
}

for (const _ of campaign.rounds()) {
  const sha256 = await makeFile(folder.file('large.mpg'));
  let service: ServiceProcess | null = await startServiceProcess(settings);
  const { key } = service;
  const breaks: Break[] = Array.from({ length: option('cuts') }, (_, i) => ({
    at: integer(length),
    kind: i % 3 === 2 ? 'hang' : 'cut',
  }));
  for (let i = 0; i < option('kills'); i++) breaks.push({ at: integer(length), kind: 'kill' });
  let restarting = Promise.resolve();
  const kill = async () => {
    const killed = service;
    service = null;
    killed?.signalAll('SIGKILL');
    restarting = (async () => {
      await killed?.waitUntilGone();
      service = await startServiceProcess(settings);
    })();
    await restarting;
  };
  await using proxy = await startInterruptingProxy({
    target: () => service?.url ?? null,
    breaks,
    kill,
    onAcknowledgedAgain: (offset, acknowledged) =>
      violation('acknowledged bytes are sent again', `a part at ${offset}, though ${acknowledged} were acknowledged`),
  });
  const client = createClient({ url: proxy.url, key });
  const began = performance.now();
  const { mediaId } = await uploadFile(client, await openFile(folder.file('large.mpg')), { filename: 'large.mpg' });
  await restarting;
  count('seconds', Math.round((performance.now() - began) / 1000));
  count('MiB of the file', length / mebibyte);
  count('MiB sent', Math.ceil(proxy.sent() / mebibyte));
  for (const { kind } of proxy.happened) count(`connections: ${kind}`);
  if (proxy.happened.length < breaks.length) {
    violation('a break did not happen', `${proxy.happened.length} of ${breaks.length}`);
  }

  const { data: item } = await getMedia({ client, path: { id: mediaId } });
  const arrived = await hashOf(item.download_url);
  if (arrived !== sha256 || item.sha256 !== sha256 || item.size !== length) {
    violation('what arrived differs', `${item.size} bytes, ${arrived}, listed as ${item.sha256}`);
  }
  const { meta } = await listMedia({ client });
  if (meta.total !== 1) violation('more than one item', String(meta.total));
  const again = await uploadFile(client, await openFile(folder.file('large.mpg')), { filename: 'large.mpg', sha256 });
  if (!again.duplicate || again.mediaId !== mediaId) violation('a second item for the same bytes', again.mediaId);
  await (service as ServiceProcess | null)?.stop();
  const { code, out } = await admin(settings.DATA_DIR, ['storage', 'check'], { settings });
  if (code !== 0) violation('files and rows differ', out);
}
campaign.report();
