import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { blocksIn } from '../../scripts/document-blocks.ts';
import { compileCache } from '../../server/testing/programs.ts';
import { startTestService } from '../../server/testing/running-service.ts';

/** What the last example is asked, after all others: with a signature, and without one. */
const asked = `
import { createHmac } from 'node:crypto';
const body = '{"type":"media.deleted","timestamp":"","data":{}}';
const time = String(Math.floor(Date.now() / 1000));
const key = Buffer.from(process.env.WEBHOOK_SECRET.slice(6), 'base64');
const signature = 'v1,' + createHmac('sha256', key).update('event-1.' + time + '.' + body).digest('base64');
const headers = { 'webhook-id': 'event-1', 'webhook-timestamp': time, 'webhook-signature': signature };
server.listen(0, '127.0.0.1', async () => {
  const url = 'http://127.0.0.1:' + server.address().port;
  console.log('signed', (await fetch(url, { method: 'POST', body, headers })).status);
  console.log('unsigned', (await fetch(url, { method: 'POST', body })).status);
  server.closeAllConnections();
  server.close();
});
`;

test('the examples of the README do what it says', async () => {
  await using service = await startTestService();
  await makePhoto(path.join(service.folder, 'holiday.png'), plain(200, 30, 30));
  const blocks = blocksIn('clients/typescript/README.md', 'ts');
  expect(blocks.length).toBeGreaterThan(5);
  const urlOf = (file: string) => pathToFileURL(path.join(import.meta.dirname, file)).href;
  const program = [...blocks, asked]
    .join('\n')
    .replaceAll("'@media-search/client/node'", `'${urlOf('node.ts')}'`)
    .replaceAll("'@media-search/client'", `'${urlOf('index.ts')}'`);
  await writeFile(path.join(service.folder, 'examples.mts'), program);
  const { stdout } = await promisify(execFile)(process.execPath, ['examples.mts'], {
    cwd: service.folder,
    env: {
      ...compileCache,
      MEDIA_SEARCH_URL: service.url,
      MEDIA_SEARCH_KEY: service.key,
      WEBHOOK_SECRET: `whsec_${btoa('a secret')}`,
    },
  });
  expect(stdout).toContain('validation_error 400');
  expect(stdout).toContain('100 %\nfalse complete\n');
  expect(stdout).toContain('event-1 media.deleted\nsigned 204\nunsigned 400\n');
});
