import { expect, test } from 'vitest';
import { languageOfName, readSubtitleFile } from './read-subtitle-file.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const srt =
  '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Größe</i> – fünf\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nJa\r\nNein\r\n';
const lines = [
  { start: 1, end: 2.5, text: 'Größe – fünf' },
  { start: 3, end: 4, text: 'Ja\nNein' },
];
const bigEndian = Buffer.from(`\uFEFF${srt}`, 'utf16le').swap16();
// The dash is no character of Latin-1, but one of Windows.
const windows = Buffer.from(srt.replaceAll('–', '\u0096'), 'latin1');

test.each<[string, string, Uint8Array, object[]]>([
  ['UTF-8', 'a.srt', Buffer.from(srt), lines],
  ['UTF-8 with a mark', 'a.SRT', Buffer.from(`\uFEFF${srt}`), lines],
  ['UTF-16', 'a.srt', Buffer.from(`\uFEFF${srt}`, 'utf16le'), lines],
  ['UTF-16, big endian', 'a.srt', bigEndian, lines],
  ['Windows-1252', 'a.srt', windows, lines],
  [
    'WebVTT',
    'a.vtt',
    Buffer.from('WEBVTT\n\nNOTE no line\n\n00:01.000 --> 00:02.500 align:start\n<v Ana>Größe</v> &amp; mehr\n'),
    [{ start: 1, end: 2.5, text: 'Größe & mehr' }],
  ],
  ['nothing of the kind', 'a.srt', Buffer.from('no subtitles here'), []],
  ['bytes of anything', 'a.vtt', Buffer.from([0, 255, 1, 254, 0, 0, 7]), []],
  ['nothing', 'a.srt', Buffer.alloc(0), []],
  // What names other files in other formats is text here.
  ['a playlist', 'a.srt', Buffer.from('#EXTM3U\n#EXTINF:1,\n/etc/passwd\n'), []],
  ['another end', 'a.txt', Buffer.from(srt), []],
])('%s', async (_what, name, bytes, expected) => {
  await using folder = await temporaryFolder();
  expect(await readSubtitleFile(bytes, name, folder.path)).toEqual(expected);
});

test.each([
  ['film.srt', null],
  ['film.en.srt', 'en'],
  ['film.ger.vtt', 'de'],
  ['film.pt-br.forced.srt', 'pt-BR'],
  ['film.forced.srt', null],
  ['film.sdh.srt', null],
  ['film.en.sdh.srt', 'en'],
  ['film.en.hi.srt', 'en'],
  ['film.english.srt', null],
])('the language of %s is %s', (name, language) => {
  expect(languageOfName(name, 'film.mp4')).toBe(language);
});

test('dots in the name of a film are no languages', () => {
  expect(languageOfName('de.la.soul.srt', 'de.la.soul.mp4')).toBeNull();
});
