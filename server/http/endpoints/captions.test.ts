import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaptionTrack } from '../../../contract/captions.ts';
import { makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { addSegments } from '../../catalog/texts/text-segments.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let film: string;
let silent: string;

const line = (start: number, text: string) => ({ start, end: start + 0.4, text });

beforeAll(async () => {
  service = await startTestService();
  const file = (name: string) => `${service.folder}/${name}`;
  const scenes = [{ paint: plain(200, 30, 30), seconds: 2 }];
  await makeVideo(file('film.mkv'), {
    scenes,
    subtitleTracks: [
      { language: 'eng', forced: true, lines: [line(0.5, 'SIGN: Ferry')] },
      { language: 'ger', lines: [line(0.2, 'Guten Tag'), line(0.8, 'Fisch & <Chips>'), line(1.5, 'Ende')] },
      { language: 'eng', lines: [line(0.2, 'Good day'), line(0.8, 'Fish\nand chips'), line(1.5, 'The end')] },
    ],
  });
  await makeVideo(file('silent.mp4'), { scenes });
  film = (await service.client.upload(file('film.mkv'), 'Größe: 1.mkv')).data.id;
  silent = (await service.client.upload(file('silent.mp4'), 'silent.mp4')).data.id;
  for (const id of [film, silent]) await service.client.waitUntilIndexed(id);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Asks for the file. */
async function get(id: string, query = '') {
  const response = await fetch(`${service.url}/api/v1/media/${id}/captions${query}`, {
    headers: { Authorization: `Bearer ${service.key}` },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const textsOf = (file: string) => file.split('\n\n').flatMap((block) => block.split(/ --> .*\n/)[1] ?? []);

test('the tracks of a video: those with most lines first, each as a file', async () => {
  const { data } = await service.client.get<CaptionTrack[]>(`/media/${film}/captions/tracks`);
  expect(data.map(({ source, language, lines }) => [source, language, lines])).toEqual([
    ['subtitle', 'de', 3],
    ['subtitle', 'en', 3],
    ['subtitle', 'en', 1],
  ]);
  const german = await get(film);
  expect(german.text).toBe(
    [
      'WEBVTT\n\nNOTE\nSubtitles of Größe: 1.mkv\nLanguage: de',
      '1\n00:00:00.200 --> 00:00:00.600\nGuten Tag',
      // What looks like a tag is none to be shown.
      '2\n00:00:00.800 --> 00:00:01.200\nFisch &amp;',
      '3\n00:00:01.500 --> 00:00:01.900\nEnde\n\n',
    ].join('\n\n'),
  );
  expect(german.headers.get('Content-Type')).toBe('text/vtt; charset=utf-8');
  expect(german.headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(german.headers.get('Content-Disposition')).toBe(
    `attachment; filename="Gr__e_ 1.de.vtt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe_%201.de.vtt`,
  );
  const english = await get(film, '?format=srt&language=en');
  expect(english.headers.get('Content-Type')).toBe('application/x-subrip; charset=utf-8');
  expect(english.text).toBe(
    [
      '1\n00:00:00,200 --> 00:00:00,600\nGood day',
      '2\n00:00:00,800 --> 00:00:01,200\nFish\nand chips',
      '3\n00:00:01,500 --> 00:00:01,900\nThe end\n\n',
    ]
      .join('\n\n')
      .replaceAll('\n', '\r\n'),
  );
  expect(textsOf((await get(film, `?track=${data[2]?.track}`)).text)).toEqual(['SIGN: Ferry']);
});

test('what was recognised comes after subtitles, in as many pieces as it takes', async () => {
  const { db, workspaceId, client } = service;
  // Two lines begin together, also where what is read at a time ends.
  const lines = Array.from({ length: 1101 }, (_, i) => `line ${i}`);
  const segments = lines.map((text, i) => {
    const start = Math.ceil(i / 2);
    return { start, end: start + 1, text, language: i === 0 ? 'pt' : 'pt-BR', box: null, confidence: 0.9 };
  });
  await addSegments(db, { workspace_id: workspaceId, id: film }, 'speech', segments);
  const { data } = await client.get<CaptionTrack[]>(`/media/${film}/captions/tracks`);
  expect(data.at(-1)).toEqual({ source: 'speech', track: null, language: 'pt-BR', lines: 1101 });
  expect((await get(film)).text).toContain('Guten Tag');
  for (const query of ['?source=speech', '?language=pt', '?language=PT-br']) {
    expect(textsOf((await get(film, query)).text), query).toEqual(lines);
  }
});

test.each([
  ['', 404],
  ['?source=speech', 404],
  ['?format=ass', 400],
  ['?source=chapter', 400],
  ['?language=english!', 400],
  ['?track=-1', 400],
])('where there is no such file: %j gets %d', async (query, status) => {
  const answer = await get(silent, query);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
  expect(JSON.parse(answer.text)).toMatchObject({
    success: false,
    error: { code: status === 404 ? 'not_found' : 'validation_error' },
  });
  expect((await service.client.get<CaptionTrack[]>(`/media/${silent}/captions/tracks`)).data).toEqual([]);
});
