import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewWebhook } from '../../../contract/webhooks.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { blocksIn, repository, runDocument } from '../../../scripts/document-blocks.ts';
import { startTestService, type TestBrowser } from '../../testing/running-service.ts';
import { signMessage } from './send-message.ts';

/** Runs the examples of docs/webhooks.md against a real service. */

const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasOpenssl = ['openssl version', 'base64 --version', 'od --version'].every(
  (command) => spawnSync('bash', ['-c', command]).status === 0,
);

let service: Awaited<ReturnType<typeof startTestService>>;
let owner: TestBrowser;
const running: ChildProcess[] = [];

beforeAll(async () => {
  service = await startTestService({ workers: 0, allowedAddresses: ['127.0.0.1'] });
  owner = await service.signIn();
});
afterAll(async () => {
  for (const child of running) child.kill();
  await service[Symbol.asyncDispose]();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a program that prints lines; `line` resolves with the next one. */
function start(command: string, file: string, env: Record<string, string>) {
  const child = spawn(command, [file], { env: { PATH: '', ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
  running.push(child);
  const lines: AsyncIterator<string> = readLines(child);
  return async () => String((await lines.next()).value);
}

async function* readLines({ stdout }: ChildProcess): AsyncGenerator<string> {
  let rest = '';
  for await (const part of stdout ?? []) {
    const lines = (rest + String(part)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function tryReceiver(command: string, name: string, code: string): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { data: webhook } = await owner.post<NewWebhook>('/manage/webhooks', { url, types: ['media.deleted'] });
  const file = path.join(service.folder, name);
  await writeFile(file, code);
  const nextLine = start(command, file, { PORT: String(port), WEBHOOK_SECRET: webhook.secret });
  expect(await nextLine()).toBe('ready');
  const { data } = await owner.post<{ event_id: string }>(`/manage/webhooks/${webhook.id}/test`);
  expect(await nextLine()).toBe(`webhook.test ${data.event_id}`);
  // What somebody else sends, and what was recorded ten minutes ago, is refused.
  const message = { id: data.event_id, body: '{"type":"media.deleted"}' };
  const stranger = `whsec_${Buffer.alloc(32).toString('base64')}`;
  for (const [secret, time] of [
    [stranger, Date.now()],
    [webhook.secret, Date.now() - 600_000],
  ] as const) {
    const headers = signMessage(message, [secret], new Date(time));
    expect((await fetch(url, { method: 'POST', body: message.body, headers })).status).toBe(401);
  }
  await owner.delete(`/manage/webhooks/${webhook.id}`);
}

test.each(
  blocksIn('docs/webhooks.md', 'js').map((block) => [/receiver-\w+\.mjs/.exec(block)?.[0] ?? '', block] as const),
)('%s gets events and refuses others', async (name, block) => {
  const client = path.join(repository, 'clients', 'typescript', 'index.ts');
  await tryReceiver(process.execPath, name, block.replace(`'@media-search/client'`, JSON.stringify(client)));
});

test('receiver.py gets events and refuses others', async ({ skip }) => {
  skip(!hasPython, 'this machine has no Python');
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  await tryReceiver(python, 'receiver.py', blocksIn('docs/webhooks.md', 'python')[0] ?? '');
});

test('the signature by hand is that of the service', async ({ skip }) => {
  skip(!hasOpenssl, 'this machine has no openssl, base64 or od');
  await using folder = await temporaryFolder();
  const output = await runDocument('docs/webhooks.md', { cwd: folder.path });
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const message = { id: 'evt_1', body: '{"type":"media.deleted","name":"Café"}' };
  const headers = signMessage(message, [secret], new Date(1_614_265_330_000));
  expect(`v1,${output('openssl').trim()}`).toBe(headers['webhook-signature']);
});
