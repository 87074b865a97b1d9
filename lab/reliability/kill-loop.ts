import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaItem } from '../../contract/media.ts';
import { checkers, makePhoto, makeVideo } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { makeTinyModel } from '../../packages/models/testing/tiny-model.ts';
import { createTestBrowser, createTestClient, type TestBrowser } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import { checkLedger } from './campaign/check-ledger.ts';
import { checkUploads, labelRequests, sendLabelRequest } from './campaign/label-requests.ts';
import { createLedger } from './campaign/ledger.ts';
import {
  admin,
  adminOutput,
  createWorkspaceKey,
  type ServiceProcess,
  StartFailure,
  startServiceProcess,
} from './campaign/service-process.ts';
import { watchWebhook } from './campaign/watch-webhook.ts';

/**
 * Kills the whole service with `kill -9` at random times: during uploads in one request and in parts, deletions, the trash, tags, public links,
 * changes, new creators, key rotations, invitations, webhooks and searches, at startup, during shutdown while it saves its index, during
 * backups, and while a new embedder re-embeds all items. After each start, everything that was acknowledged must still be there.
 *
 *     npm run node -- lab/reliability/kill-loop.ts [--seed n] [--rounds n] [--seconds n] [--suspend n]
 *
 * Every `--suspend`th round a worker is suspended for longer than its lease (35 s) and then resumed; 0: never. Some rounds end by SIGTERM or
 * SIGINT, which must lead to exit status 0.
 */

const campaign = startCampaign('kill-loop', { rounds: 200, seconds: 3600, suspend: 70 });
const { chance, count, integer, pick, violation } = campaign;
const ledger = createLedger();

await using folder = await temporaryFolder();
const dataDirectory = folder.file('data');
const model = folder.file('tiny-model');
await makeTinyModel(model, 'clip');
await makePhoto(folder.file('photo.png'), checkers(0), { width: 96, height: 64 });
await makeVideo(folder.file('film.mp4'), { scenes: [{ paint: checkers(0.3), seconds: 6 }], width: 160, height: 90 });
const seeds = { photo: await readFile(folder.file('photo.png')), film: await readFile(folder.file('film.mp4')) };

let embedder = 'descriptors';
let key = '';
/** Whether a rotation had no response, so that another key may have replaced ours. */
let isRotating = false;
await using webhook = await watchWebhook(campaign, ledger);
const backup = folder.file('backup');
let isBackingUp = false;
/** Items that are being changed. */
const changing = new Set<string>();
let browser: TestBrowser | undefined;
let names = 0;

for (const round of campaign.rounds()) {
  if (chance(0.15)) embedder = pick(['descriptors', model]);
  if (round > 0 && chance(0.2)) await killDuringStart();
  const service = await start();
  await checkAgainstLedger(service);
  if (round % 20 === 19) await waitUntilIndexed(service);
  const suspend = campaign.option('suspend');
  if (suspend > 0 && round % suspend === suspend - 1) await suspendWorker(service);
  await loadUntilEnded(service);
}
const service = await start();
await checkAgainstLedger(service);
await waitUntilIndexed(service);
if (browser) await webhook.check(browser);
await checkFolders();
if ((await service.stop()) !== '0') violation('end', 'The last stop did not exit with 0.');
const report = await admin(dataDirectory, ['check']);
if (report.code !== 0) violation('admin check', `${report.out}${report.err}`.slice(0, 2000));
await restoreAndCheck();
count('items at the end', ledger.items.size);
campaign.report();

function start(onStarted?: (pid: number) => void, data = dataDirectory): Promise<ServiceProcess> {
  const settings = { EMBEDDER: embedder, WORKERS: '2', REQUESTS_PER_MINUTE: '0', ALLOWED_ADDRESSES: '127.0.0.1' };
  return startServiceProcess({ DATA_DIR: data, ...settings }, onStarted);
}

async function killDuringStart(): Promise<void> {
  const after = integer(2500);
  try {
    const starting = await start((pid) => {
      setTimeout(() => {
        try {
          process.kill(-pid, 'SIGKILL');
        } catch {
          // It has ended by itself.
        }
      }, after);
    });
    await starting.waitForExit();
    await starting.waitUntilGone();
    count('kills right after a start');
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    if (error.status !== 'SIGKILL') violation('start', `after ${after} ms: ${error.message.slice(0, 2000)}`);
    count('kills during a start');
  }
}

async function checkAgainstLedger(service: ServiceProcess): Promise<void> {
  key = await findWorkingKey(service);
  const client = createTestClient(service.url, key);
  browser = await signIn(service);
  await checkUploads(campaign, ledger, { url: service.url, key });
  await webhook.create(browser);
  await checkLedger(campaign, ledger, client);
  const open = new Set((await browser.get<{ id: string }[]>('/manage/invitations')).data.map(({ id }) => id));
  for (const id of ledger.invitations) if (!open.has(id)) violation('lost', `The invitation ${id} is gone.`);
  if ((await client.search('checkers')).status !== 200) violation('health', 'A search fails.');
  // A worker may be rendering.
  const folders = await readdir(path.join(dataDirectory, 'uploads'));
  const left = folders.filter((name) => !name.startsWith('worker-'));
  if (left.length > 0) violation('left over', `uploads/ holds ${left.join(', ')}`);
  const temporary = (await readdir(path.join(dataDirectory, 'indexes')).catch(() => [])).filter((name) =>
    /\.(?:new|tmp)$/.test(name),
  );
  if (temporary.length > 0) violation('left over', `indexes/ holds ${temporary.join(', ')}`);
}

/** Reuses the session, which must survive a restart of the service. */
async function signIn({ url }: ServiceProcess): Promise<TestBrowser> {
  if (browser) {
    const again = createTestBrowser(url, browser.cookie());
    const session = await again.get<{ workspace: { id: string } } | null>('/auth/session');
    if (session.data === null) violation('lost', 'The session is gone.');
    else return again;
  }
  const first = createTestBrowser(url);
  const link = new URL(await adminOutput(dataDirectory, 'sign-in-link'));
  await first.post('/auth/sign-in', { token: link.searchParams.get('token') });
  return first;
}

async function findWorkingKey({ url }: ServiceProcess): Promise<string> {
  if (key !== '' && (await createTestClient(url, key).get('/workspace')).status === 200) return key;
  if (key !== '' && !isRotating) violation('lost', 'An acknowledged key does not work.');
  isRotating = false;
  return createWorkspaceKey(dataDirectory);
}

/** Sends requests until the service is killed or stopped. */
async function loadUntilEnded(service: ServiceProcess): Promise<void> {
  const ending = new AbortController();
  const client = createTestClient(service.url, key);
  const clients = Array.from({ length: 3 }, async () => {
    while (!ending.signal.aborted && service.exitStatus() === null) {
      // A killed service does not respond: the request may or may not have been carried out.
      await sendRandomRequest(client, service.url).catch((error: unknown) => {
        if (!(error instanceof TypeError) && !(error instanceof SyntaxError))
          violation('answer', String(error).slice(0, 500));
      });
    }
  });
  await sleep(integer(3000));
  const how = pick([
    'kill',
    'kill',
    'kill',
    'kill',
    'kill',
    'kill',
    'kill while it stops',
    'SIGTERM to all',
    'SIGINT to all',
    'SIGTERM',
  ]);
  count(`ended by ${how}`);
  if (how === 'kill') service.signalAll('SIGKILL');
  else if (how === 'kill while it stops') {
    service.signalMain('SIGTERM');
    await sleep(integer(1500));
    service.signalAll('SIGKILL');
  } else if (how === 'SIGTERM') service.signalMain('SIGTERM');
  else service.signalAll(how === 'SIGTERM to all' ? 'SIGTERM' : 'SIGINT');
  const status = await Promise.race([service.waitForExit(), sleep(20_000, 'nothing')]);
  ending.abort();
  if (how.startsWith('SIG') && status !== '0')
    violation('end', `${how} led to ${status}: ${service.log().slice(-1500)}`);
  await Promise.all(clients);
  await service.waitUntilGone();
}

/** Sends a random request and records it in the ledger. */
async function sendRandomRequest(client: ReturnType<typeof createTestClient>, url: string): Promise<void> {
  const known = [...ledger.items.keys()];
  const kind = pick([
    'upload',
    'upload',
    'upload',
    'delete',
    'change',
    'change',
    'creator',
    'search',
    'image search',
    'invitation',
    'rotate',
    'backup',
    ...labelRequests,
  ]);
  if (kind === 'upload') await upload(client);
  else if (kind === 'delete' && known.length > 20) {
    await alone(pick(known), async (id) => {
      ledger.beginDeletion(id);
      if ((await client.delete(`/media/${id}`)).status !== 200) return;
      ledger.confirmDeletion(id);
      count('acknowledged deletions');
    });
  } else if (kind === 'change' && known.length > 0 && ledger.creators.size > 0) {
    const creator = chance(0.3) ? null : pick([...ledger.creators.keys()]);
    await alone(pick(known), async (id) => {
      ledger.beginChange(id, creator);
      if ((await client.patch(`/media/${id}`, { creator_id: creator })).status !== 200) return;
      ledger.confirmChange(id, creator);
      count('acknowledged changes');
    });
  } else if (kind === 'creator') {
    const name = `Creator ${(names += 1)}`;
    const { status, data } = await client.post<{ id: string }>('/creators', { name }, { 'Idempotency-Key': name });
    if (status === 201) ledger.creators.set(data.id, name);
    count('acknowledged creators');
  } else if (kind === 'search') {
    await client.search(pick(['checkers', 'red', 'grey squares']), pick(['', '&rerank=1', '&dedupe=1']));
    count('searches');
  } else if (kind === 'image search' && known.length > 0) {
    await client.post('/media/search/image', { media_id: pick(known) });
    count('searches');
  } else if (kind === 'invitation' && chance(0.2)) {
    const made = await browser?.post<{ id: string }>('/manage/invitations', { role: 'member' });
    if (made?.status === 201) ledger.invitations.add(made.data.id);
    count('acknowledged invitations');
  } else if (kind === 'rotate' && chance(0.1) && !isRotating) await rotateKey();
  else if (kind === 'backup' && chance(0.1) && !isBackingUp) await runBackup();
  else if ((labelRequests as readonly string[]).includes(kind)) {
    const parts = { campaign, ledger };
    const send = (item?: string) =>
      sendLabelRequest(kind as (typeof labelRequests)[number], parts, { url, key, client }, item, makeFile);
    if (kind === 'tus') await send();
    else if (known.length > 0) await alone(pick(known), send);
  }
}

/** A client cannot know the order of two concurrent changes of one item. */
async function alone(id: string, change: (id: string) => Promise<void>): Promise<void> {
  if (changing.has(id)) return;
  changing.add(id);
  try {
    await change(id);
  } finally {
    changing.delete(id);
  }
}

/** Runs a backup beside the service. Some backups are killed; the next one resumes them. */
async function runBackup(): Promise<void> {
  isBackingUp = true;
  const killed = chance(0.4);
  const { code, err } = await admin(
    dataDirectory,
    ['backup', backup],
    killed ? { killAfter: 300 + integer(2000) } : {},
  );
  isBackingUp = false;
  count(code === null ? 'backups killed' : 'backups');
  if (code !== 0 && code !== null) violation('backup', `exit status ${code}: ${err.slice(0, 1000)}`);
}

/** A last backup, restored into a new folder, contains everything that was acknowledged. */
async function restoreAndCheck(): Promise<void> {
  const last = await admin(dataDirectory, ['backup', backup]);
  if (last.code !== 0) violation('backup', `exit status ${last.code}: ${last.err.slice(0, 1000)}`);
  const restored = folder.file('restored');
  const { code, err } = await admin(restored, ['restore', backup]);
  if (code !== 0) return violation('restore', `exit status ${code}: ${err.slice(0, 1000)}`);
  const service = await start(undefined, restored);
  await checkLedger(campaign, ledger, createTestClient(service.url, key));
  await service.stop();
  count('restored and checked');
}

function makeFile(): Buffer<ArrayBuffer> {
  const unique = Buffer.from(crypto.randomUUID());
  // Decoders ignore bytes after the end of an image, and players skip this box.
  if (chance(0.85)) return Buffer.concat([seeds.photo, unique]);
  return Buffer.concat([seeds.film, Buffer.from([0, 0, 0, 44]), Buffer.from('free'), unique]);
}

async function upload(client: ReturnType<typeof createTestClient>): Promise<void> {
  const bytes = makeFile();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  ledger.unanswered.set(sha256, bytes.length);
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'file.bin');
  const { status, data } = await client.call<MediaItem>('/media/upload', { method: 'POST', body: form });
  if (status !== 202) return;
  ledger.unanswered.delete(sha256);
  ledger.addItem(data.id, sha256, bytes.length);
  count('acknowledged uploads');
}

async function rotateKey(): Promise<void> {
  isRotating = true;
  const keys =
    await browser?.get<{ id: string; revoked_at: string | null; expires_at: string | null }[]>('/manage/api-keys');
  const current = keys?.data.find(({ revoked_at, expires_at }) => revoked_at === null && expires_at === null);
  if (!current) return;
  const made = await browser?.post<{ key: string }>(`/manage/api-keys/${current.id}/rotate`, { grace_hours: 1 });
  if (made?.status !== 201) return;
  key = made.data.key;
  isRotating = false;
  count('acknowledged rotations');
}

/**
 * Waits until the queue is empty. All items must be complete. An item whose indexing three kills in a row interrupted has the status `error`,
 * because it may be what crashes the service; a retry completes it.
 */
async function waitUntilIndexed({ url }: ServiceProcess): Promise<void> {
  const client = createTestClient(url, key);
  await waitUntilQueueIsEmpty(client);
  for (const { id, error } of (await client.get<MediaItem[]>('/media?per_page=100&status=error')).data) {
    if (error?.code !== 'indexing_failed') violation('item in error', `${id}: ${error?.code} ${error?.message}`);
    count('items retried after three kills');
    await client.post(`/media/${id}/retry`, undefined);
  }
  await waitUntilQueueIsEmpty(client);
  for (const { id, error } of (await client.get<MediaItem[]>('/media?per_page=100&status=error')).data) {
    violation('item in error', `${id}, retried: ${error?.code} ${error?.message}`);
  }
}

async function waitUntilQueueIsEmpty(client: ReturnType<typeof createTestClient>): Promise<void> {
  for (let i = 0; i < 1200; i++) {
    const waiting = await Promise.all(
      ['pending', 'indexing'].map((status) =>
        client.get<MediaItem[], { total: number }>(`/media?per_page=1&status=${status}`),
      ),
    );
    if (waiting.every(({ meta }) => meta.total === 0)) return;
    await sleep(500);
  }
  violation('not indexed', 'Items wait after 10 minutes.');
}

/** Suspends a worker for longer than its lease while there is work, then resumes it. */
async function suspendWorker(service: ServiceProcess): Promise<void> {
  const client = createTestClient(service.url, key);
  for (let i = 0; i < 6; i++) await upload(client);
  await sleep(integer(600));
  const workers = service.processes().filter((pid) => service.commandOf(pid).includes('jobs/worker'));
  if (workers.length === 0) return;
  const worker = pick(workers);
  process.kill(worker, 'SIGSTOP');
  await sleep(35_000);
  try {
    process.kill(worker, 'SIGCONT');
  } catch {
    // The service has replaced it.
  }
  count('workers suspended');
  await waitUntilIndexed(service);
  await checkAgainstLedger(service);
}

/** No folder may belong to an unlisted item: startup moves such folders away. */
async function checkFolders(): Promise<void> {
  const root = path.join(dataDirectory, 'assets');
  const folders = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name: workspace } of folders) {
    const orphans = (await readdir(path.join(root, workspace))).filter((id) => !ledger.items.has(id));
    if (orphans.length > 0) violation('orphans', `${orphans.length} folders belong to no item, such as ${orphans[0]}`);
  }
  const found = await readdir(path.join(dataDirectory, 'lost+found'), { recursive: true }).catch(() => []);
  const originals = found.filter((name) => name.endsWith('original')).length;
  count('originals in lost+found', originals);
  if (originals > ledger.unanswered.size)
    violation('lost+found', `holds ${originals} originals, with ${ledger.unanswered.size} uploads unanswered`);
}
