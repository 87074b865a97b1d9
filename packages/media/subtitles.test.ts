import path from 'node:path';
import { Dictionary } from 'node-av/lib';
import { expect, test } from 'vitest';
import { probeVideo } from './probe-video.ts';
import { makeVideo, plain, type VideoOptions } from './samples/draw-media.ts';
import { createSubtitleCollector, isForced, languageOf, stripMarkup } from './subtitles.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const twice = { start: 0.1, end: 0.4, text: 'Guten Tag' };

test.each<[name: string, options: Partial<VideoOptions>]>([
  ['film.mkv', { subtitleFormat: 'ass' }],
  ['film.mkv', { subtitleFormat: 'srt' }],
  ['film.mp4', { subtitleFormat: 'mov_text' }],
  ['film.webm', { subtitleFormat: 'vtt', codec: 'vp8' }],
])('tracks of %s are told apart: %j', async (name, options) => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, name);
  const scenes = [{ paint: plain(200, 20, 20), seconds: 1 }];
  const subtitleTracks = [
    { language: 'ger', lines: [twice, twice, { start: 0.4, end: 0.8, text: 'Ja &amp; nein\nDanke' }] },
    { language: 'eng', forced: true, lines: [{ start: 0.1, end: 0.4, text: 'Good day' }] },
    { lines: [{ start: 0.5, end: 0.9, text: 'Hm' }] },
  ];
  await makeVideo(file, { scenes, subtitleTracks, ...options });
  await using probed = await probeVideo(file, AbortSignal.timeout(10_000));
  expect(probed.subtitles.map(isForced)).toEqual([false, true, false]);
  const collector = createSubtitleCollector(probed.subtitles);
  for await (using packet of probed.demuxer.packets()) if (packet) collector.push(packet);
  const lines = collector
    .take(0)
    .map(({ line }) => ({ ...line, start: line.start.toFixed(1), end: line.end.toFixed(1) }));
  const [first, second, third] = probed.subtitles.map(({ index }) => index);
  const written = options.subtitleFormat === 'vtt' ? 'Ja & nein' : 'Ja &amp; nein';
  expect(lines.toSorted((a, b) => a.track - b.track)).toEqual([
    { start: '0.1', end: '0.4', track: first, language: 'de', text: 'Guten Tag' },
    { start: '0.4', end: '0.8', track: first, language: 'de', text: `${written}\nDanke` },
    { start: '0.1', end: '0.4', track: second, language: 'en', text: 'Good day' },
    { start: '0.5', end: '0.9', track: third, language: null, text: 'Hm' },
  ]);
});

test.each([
  ['ger', 'de'],
  ['deu', 'de'],
  ['chi', 'zh'],
  ['fil', 'fil'],
  ['pt-br', 'pt-BR'],
  ['zh_Hant', 'zh-Hant'],
  ['und', null],
  ['und-Latn', null],
  ['zxx', null],
  ['english', null],
  ['-', null],
  ['', null],
  [null, null],
])('the language %j of a track is %j', (stated, language) => {
  using metadata = Dictionary.fromObject({ language: stated });
  expect(languageOf({ metadata })).toBe(language);
});

test.each([
  ['tags', '<i>Good</i> <font color="#ffffff">morning</font>', 'Good morning'],
  ['overrides', '{\\an8}Good {\\i1\\b1}morning{\\r}', 'Good morning'],
  ['codes of breaks and spaces', 'Good\\Nmorning\\hVienna \\n and', 'Good\nmorning Vienna and'],
  [
    'empty lines, white space and control characters',
    ' Good \r\n \n\n\tmorning\u0000\u0007 Vienna\r',
    'Good\nmorning Vienna',
  ],
  ['nothing from what only looks like it', 'a < b, {c} and {\\d', 'a < b, {c} and {\\d'],
])('markup: %s are taken out', (_, text, plain) => {
  expect(stripMarkup(text)).toBe(plain);
});

// Each of them took minutes where a pattern reads to the end of the text from every place at which it could begin.
test.each(['{\\', '{\\a', '<', '<a ', '\\', ' ', '{', '{}', '<{\\'])('a megabyte of %j is read at once', (piece) => {
  const text = piece.repeat(2 ** 20 / piece.length);
  expect(stripMarkup(text).length).toBeLessThanOrEqual(text.length);
});
