import { mkdir, writeFile } from 'node:fs/promises';
import files from '@fastify/static';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { registerErrorHandling } from '../errors/error-handler.ts';
import { serveDashboard } from './dashboard.ts';

const page = '<!doctype html><title>Dashboard</title>';
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

async function openDashboard(folder: string) {
  await mkdir(`${folder}/assets`);
  await writeFile(`${folder}/index.html`, page);
  await writeFile(`${folder}/assets/main-1a2b.js`, 'run()');
  const app = Fastify();
  registerErrorHandling(app);
  await app.register(files, { serve: false, root: folder });
  serveDashboard(app, folder);
  return async (url: string, accept: string | undefined, method: 'GET' | 'HEAD' = 'GET') => {
    const { statusCode, headers, body } = await app.inject({ method, url, headers: accept ? { accept } : {} });
    return { status: statusCode, type: String(headers['content-type']).split(';')[0], vary: headers['vary'], body };
  };
}

const nothing = { status: 404, type: 'application/json' };
const shown = { status: 200, type: 'text/html' };

test('a browser gets the page at every path but those of the service, a program at `/` alone', async () => {
  await using folder = await temporaryFolder();
  const ask = await openDashboard(folder.path);
  for (const view of ['/', '/search?q=red', '/media/01a1fbe4', '/settings/members', '/nowhere', '/apiary', '/v10']) {
    expect(await ask(view, browser), view).toMatchObject({ ...shown, vary: 'Accept', body: page });
    for (const accept of ['*/*', undefined, 'application/json', 'application/json, text/plain, */*', 'text/htmlx']) {
      const answer = await ask(view, accept);
      const isPage = view === '/' && (accept?.includes('*/*') ?? true);
      expect(answer, `${view} ${accept}`).toMatchObject(isPage ? shown : { ...nothing, vary: 'Accept' });
      if (!isPage) expect(JSON.parse(answer.body)).toMatchObject({ success: false, error: { code: 'not_found' } });
    }
  }
  expect(await ask('/search', browser, 'HEAD')).toMatchObject(shown);
  expect(await ask('/search', '*/*', 'HEAD')).toMatchObject(nothing);
});

test('below the paths of the service nothing is a page, whoever asks', async () => {
  await using folder = await temporaryFolder();
  const ask = await openDashboard(folder.path);
  for (const wrong of [
    '/api',
    '/api/',
    '/api/v2/media',
    '/api/workspace',
    '/v1',
    '/v1/media',
    '/auth/x',
    '//api/v1/media',
    '/API/v1/media',
    '/.well-known/x',
  ]) {
    for (const accept of [browser, '*/*']) expect(await ask(wrong, accept), wrong).toMatchObject(nothing);
  }
});

test('files of the dashboard are served to whoever asks, and one that does not exist is no page', async () => {
  await using folder = await temporaryFolder();
  const ask = await openDashboard(folder.path);
  for (const accept of [browser, '*/*']) {
    expect(await ask('/assets/main-1a2b.js', accept)).toMatchObject({ status: 200, body: 'run()' });
    expect(await ask('/assets/main-9z9z.js', accept)).toMatchObject(nothing);
  }
});
