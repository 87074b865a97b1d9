import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { basePath } from '../../contract/base-path.ts';
import { makePhoto, makeVideo, plain, square } from '../samples/draw-media.ts';
import { startTestService, temporaryFolder } from '../testing/running-service.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;

/** The shell blocks of the walk-through, in order. */
function readBlocks(): string[] {
  const text = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8');
  const section = text.split('\n## ').find((each) => each.startsWith('Walk-through'));
  return [...(section ?? '').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

test('the walk-through of docs/api.md does every task with curl', async ({ skip }) => {
  skip(!hasCurl, 'this machine has no curl or no bash; everything in it is tested over HTTP too');
  await using service = await startTestService();
  await using folder = await temporaryFolder();
  const scenes = [plain(20, 30, 90), plain(200, 180, 120)].map((paint) => ({ paint, seconds: 2 }));
  const subtitles = [{ language: 'eng', lines: [{ start: 1, end: 2, text: 'All aboard' }] }];
  await makeVideo(folder.file('harbour.mp4'), { scenes, subtitleTracks: subtitles, subtitleFormat: 'mov_text' });
  await makePhoto(folder.file('photo.jpg'), square([210, 20, 30], [255, 255, 255]));
  const owner = await service.signIn();
  await owner.post('/manage/categories', { name: 'Still life' });

  const blocks = readBlocks();
  expect(blocks.length).toBeGreaterThan(12);
  const settings = `export API=${service.url}${basePath} KEY=${service.key}`;
  const script = [settings, ...blocks.map((block, i) => `printf '\\n#%s#' ${i}\n${block}`)].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder.path,
    maxBuffer: 2 ** 24,
  });
  const outputs = stdout.split(/\n#\d+#/).slice(1);
  const output = (task: string) => outputs[blocks.findIndex((block) => block.includes(task))] ?? '';

  expect(output('/workspace')).toContain('"name":"My workspace"');
  expect(output('/media/check')).toMatch(/"media_id":"[0-9a-f-]{36}"/);
  expect(output('status=complete')).toContain('"filename":"harbour.mp4"');
  const [byColour = '', reranked = ''] = output('q=dark blue').split('}{');
  expect(byColour).toMatch(/^\{"success":true,"data":\[\{"id":"[^"]+","filename":"harbour.mp4"/);
  expect(reranked).toContain('"reranked":true');
  expect(output('-F n=3').match(/"data":\[\{"id":"[^"]+","filename":"photo.jpg"/g)).toHaveLength(2);
  expect(output('-F n=3')).toContain('"source":"media"');
  for (const method of ['knn', 'centroid', 'lof'])
    expect(output('/media/highlights')).toContain(`"method":"${method}"`);
  expect(output('/chunks')).toContain('"total":2');
  expect(output('/captions')).toMatch(/"lines":1.*00:00:01,000 --> 00:00:02,000\r\nAll aboard/s);
  expect(output('/categories')).toContain('"name":"Still life"');
  expect(output('/categories')).toMatch(/"filename":"photo.jpg".*"category_id":"/);
  expect(output('If-None-Match')).toBe('304\n');
  expect(output('/retry')).toMatch(/"not_ready".*"deleted":true.*"not_found"/);
});
