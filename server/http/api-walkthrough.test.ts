import { spawnSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makePhoto, makeVideo, plain, square } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { repository, runDocument } from '../../scripts/document-blocks.ts';
import { startTestService } from '../testing/running-service.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;

const needsCurl = 'this machine has no curl or no bash; everything in it is tested over HTTP too';

/** Runs the walk-through in a folder, against a service of the test. */
const walkThrough = (
  cwd: string,
  service: Awaited<ReturnType<typeof startTestService>>,
  replace: Record<string, string> = {},
) =>
  runDocument('docs/api.md', {
    cwd,
    env: service.environment,
    replace: { ...replace, '~/media-search': `'${repository}'`, 'http://127.0.0.1:8080': service.url },
  });

test('the walk-through of docs/api.md does every task with curl, in an empty folder and with the samples of the service', async ({
  skip,
}) => {
  skip(!hasCurl, needsCurl);
  await using service = await startTestService();
  await using folder = await temporaryFolder();
  const output = await walkThrough(folder.path, service);

  expect(output('API/workspace')).toContain('"name":"My workspace"');
  expect(output('/media/check')).toMatch(/"media_id":"[0-9a-f-]{36}"/);
  expect(output('status=complete')).toContain('"filename":"concert.mkv"');
  const [byColour = '', reranked = ''] = output('q=dark red').split('}{');
  expect(byColour).toMatch(/^\{"success":true,"data":\[\{"id":"[^"]+","filename":"concert.mkv"/);
  expect(reranked).toContain('"reranked":true');
  expect(output('-F n=3').match(/"data":\[\{"id":"[^"]+","filename":"photo.jpg"/g)).toHaveLength(2);
  expect(output('-F n=3')).toContain('"source":"media"');
  for (const method of ['knn', 'centroid', 'lof'])
    expect(output('/media/highlights')).toContain(`"method":"${method}"`);
  expect(output('/chunks')).toMatch(/"total":[1-9]/);
  expect(output('/captions')).toMatch(
    /"lines":3.*00:00:00,500 --> 00:00:03,500\r\nThe orchestra tunes its instruments\./s,
  );
  expect(output('/categories')).toContain('"creator_id":"');
  expect(output('/categories')).not.toContain('"category_id":"');
  expect(output('If-None-Match')).toBe('304\n');
  expect(output('/retry')).toMatch(/"not_ready".*"deleted":true.*"not_found"/);
});

test('it ends well for a reader with files of their own: a video without captions, and a category', async ({
  skip,
}) => {
  skip(!hasCurl, needsCurl);
  await using service = await startTestService();
  await using folder = await temporaryFolder();
  await using own = await temporaryFolder();
  const scenes = [plain(20, 30, 90), plain(200, 180, 120)].map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(own.file('film.mp4'), { scenes });
  await makePhoto(own.file('photo.jpg'), square([210, 20, 30], [255, 255, 255]));
  await copyFile(own.file('film.mp4'), folder.file('concert.mkv'));
  await copyFile(own.file('photo.jpg'), folder.file('photo.jpg'));
  const owner = await service.signIn();
  await owner.post('/manage/categories', { name: 'Still life' });

  // The copies of the reader take the place of the block that copies samples.
  const output = await walkThrough(folder.path, service, {
    'npm --prefix "$REPO" run --silent admin -- sample': 'echo not copied:',
  });
  expect(output('sample')).toContain('not copied: evening-concert.mkv');
  expect(output('/captions')).toMatch(/^\{"success":true,"data":\[\].*"not_found"/s);
  expect(output('/categories')).toContain('"name":"Still life"');
  expect(output('/categories')).toMatch(/"filename":"photo.jpg".*"category_id":"/);
  expect(output('/retry')).toMatch(/"not_ready".*"deleted":true.*"not_found"/);
});
