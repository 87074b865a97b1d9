import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaExport } from '../../../contract/exports.ts';
import type { MediaItem } from '../../../contract/media.ts';
import type { Source } from '../../../contract/sources.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { readZip } from '../../testing/read-zip.ts';
import { startTestService } from '../../testing/running-service.ts';

test('lists name the files of sources where they are, as a machine has them; archives hold them, and say when their source is offline', async () => {
  await using folder = await temporaryFolder();
  await using service = await startTestService({ sourceRoots: [folder.path] });
  const { client } = service;
  const root = folder.file('nas');
  await mkdir(path.join(root, 'köln'), { recursive: true });
  const paint = plain(20, 30, 90);
  await makeVideo(path.join(root, 'köln', 'a b#.mp4'), { scenes: [{ paint, seconds: 1 }] });
  await makePhoto(folder.file('own.png'), plain(200, 10, 10));
  const { id } = (await client.post<Source>('/sources', { location: root })).data;
  await client.upload(folder.file('own.png'));
  const list = async () => (await client.get<MediaItem[]>('/media')).data;
  const done = async () => (await list()).filter(({ status }) => status === 'complete').length;
  await expect.poll(done, { timeout: 60_000 }).toBe(2);
  const ids = (await list()).map((each) => each.id);
  const mappings = [
    { name: 'macOS', from: folder.path, to: '/Volumes/x' },
    { name: 'macOS', from: root, to: '/Volumes/My NAS' },
    { name: 'Windows', from: root, to: 'Z:\\' },
  ];
  await client.patch('/path-mappings', { mappings });
  const make = async (format: string, paths?: string) => {
    const made = await client.post<MediaExport>('/exports', {
      format,
      media_ids: ids,
      ...(paths !== undefined && { paths }),
    });
    expect(made.status).toBe(201);
    return Buffer.from(await (await fetch(made.data.url)).arrayBuffer());
  };
  const text = async (format: string, paths?: string) => (await make(format, paths)).toString();

  expect(await text('csv')).toContain(`a b#.mp4,${root}/köln/a b#.mp4,`);
  expect(await text('csv', 'Windows')).toContain('a b#.mp4,Z:\\köln\\a b#.mp4,');
  // What was uploaded is nowhere else.
  expect(await text('csv', 'macOS')).toContain('own.png,own.png,');
  expect(await text('edl', 'macOS')).toContain(
    '* FROM CLIP NAME: a b#.mp4\r\n* SOURCE FILE: /Volumes/My NAS/köln/a b#.mp4\r\n',
  );
  expect(await text('fcpxml', 'macOS')).toContain('src="file:///Volumes/My%20NAS/k%C3%B6ln/a%20b%23.mp4"');
  expect(await text('fcpxml', 'Windows')).toContain('src="file:///Z:/k%C3%B6ln/a%20b%23.mp4"');
  expect(await client.post('/exports', { format: 'csv', media_ids: ids, paths: 'Linux' })).toMatchObject({
    status: 400,
    error: {
      details: [{ path: 'body.paths', message: 'must be a machine of the path mappings; there are: macOS, Windows' }],
    },
  });

  const names = (entries: { name: string }[]) => entries.map(({ name }) => name).toSorted();
  expect(names(await readZip(await make('zip')))).toEqual(['a b#.mp4', 'own.png']);
  await rename(root, folder.file('away'));
  const part = await readZip(await make('zip'));
  expect(names(part)).toEqual(['errors.txt', 'own.png']);
  expect(String(part.find(({ name }) => name === 'errors.txt')?.data)).toContain(
    'a b#.mp4: The source nas is offline: ',
  );
  expect(await text('edl')).toContain('* LEFT OUT: a b#.mp4: The source nas is offline: ');
  // A table needs no original.
  expect(await text('csv', 'Windows')).toContain('Z:\\köln\\a b#.mp4');
  await rename(folder.file('away'), root);
  expect((await client.get<Source>(`/sources/${id}`)).data.files.total).toBe(1);
});
