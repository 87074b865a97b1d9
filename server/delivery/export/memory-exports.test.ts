import { expect, test } from 'vitest';
import { createMemoryExports } from './memory-exports.ts';

test('the identifier of an export finds, sends and cancels nothing for another workspace', async () => {
  // An archive has no file, so nothing is processed.
  const exports = createMemoryExports({ pool: { stop: async () => undefined } } as never);
  const { id } = await exports.start({
    workspaceId: 'own',
    format: 'zip',
    filename: 'a.zip',
    title: 'a',
    baseUrl: 'http://x',
    moments: [],
  });
  const signal = new AbortController().signal;
  expect(await exports.find('another', id)).toBeUndefined();
  await expect(exports.waitForFile('another', id, signal)).rejects.toMatchObject({ code: 'not_found' });
  await expect(exports.streamArchive('another', id, signal)).rejects.toMatchObject({ code: 'not_found' });
  await exports.cancel('another', id);
  expect(await exports.find('own', id)).toMatchObject({ status: 'ready' });
  expect(await exports.waitForFile('own', id, signal)).toBeNull();
  await exports.cancel('own', id);
  expect(await exports.find('own', id)).toBeUndefined();
  await exports.stop();
});
