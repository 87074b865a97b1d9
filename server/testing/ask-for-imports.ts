import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import type { Ask } from './ask-for-groups.ts';

/** The addresses that a service must be allowed to connect to for `askForImports`. */
export const importedFrom = ['127.0.0.1'];

/**
 * Provokes what the import of a file answers, but for the limits of a plan.
 * @param file path of a picture to make, which is in the workspace then
 */
export async function askForImports(ask: Ask, file: string): Promise<void> {
  await makePhoto(file, plain(9, 9, 90));
  const bytes = await readFile(file);
  await using source = createServer((request, response) => {
    response.end(request.url === '/file' ? bytes : 'no picture');
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  const imported = { json: { url: `${address}/file` } };
  await ask('importMedia', imported);
  await ask('importMedia', imported, 200);
  await ask('importMedia', { json: { url: `${address}/text` } }, 415);
  await ask('importMedia', { json: { url: 'http://127.0.0.1:9/nothing' } }, 422);
}
