import { writeFile } from 'node:fs/promises';
import type { CaptionFormat, Cue } from '@media-search/media/captions/cue';
import { srt } from '@media-search/media/captions/write-srt';
import { vtt } from '@media-search/media/captions/write-vtt';
import { Demuxer } from 'node-av/api';
import { avGetCodecName } from 'node-av/lib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';

const write = (format: CaptionFormat, cues: Cue[], about: string[] = []) =>
  format.head(about) + cues.map((cue, i) => format.cue(cue, i + 1)).join('');

test('WebVTT: head, identifiers, times, and texts that hold its own signs', () => {
  const cues = [
    { start: 0, end: 1.5, text: 'Fish & <b>chips</b>\n\n3 --> 4' },
    { start: 1.2345, end: 1.9996, text: ' two\r\nlines\u2028and\u0000more ' },
  ];
  expect(write(vtt, cues, ['Speech of a --> b.mp4\nNOTE', 'Language: de'])).toBe(
    `WEBVTT

NOTE
Speech of a --&gt; b.mp4
NOTE
Language: de

1
00:00:00.000 --> 00:00:01.500
Fish &amp; &lt;b&gt;chips&lt;/b&gt;
3 --&gt; 4

2
00:00:01.235 --> 00:00:02.000
two
lines
and more

`,
  );
  expect(write(vtt, [])).toBe('WEBVTT\n\n');
});

test('SubRip: numbers, times with commas, line breaks of its own', () => {
  expect(write(srt, [{ start: 61.5, end: 62, text: 'one\n\ntwo --> three' }], ['Language: de'])).toBe(
    '1\r\n00:01:01,500 --> 00:01:02,000\r\none\r\ntwo → three\r\n\r\n',
  );
});

test('what may well be wrong is in italics, and nothing else is', () => {
  const cue = { start: 1, end: 2, text: 'one <two>\nthree', uncertain: true };
  expect(write(vtt, [cue])).toContain('\n<i>one &lt;two&gt;\nthree</i>\n');
  expect(write(srt, [cue])).toContain('\r\n<i>one <two>\r\nthree</i>\r\n');
  expect(write(vtt, [{ ...cue, uncertain: false }])).not.toContain('<i>');
});

test.each([
  ['no length', { start: 5, end: 5 }, '00:00:05.000 --> 00:00:06.000'],
  ['a negative length', { start: 5, end: 4 }, '00:00:05.000 --> 00:00:06.000'],
  ['a length that rounds to nothing', { start: 5.0001, end: 5.0002 }, '00:00:05.000 --> 00:00:06.000'],
  ['a beginning before the video', { start: -1, end: 0.5 }, '00:00:00.000 --> 00:00:00.500'],
  ['a rounding up to the next hour', { start: 3599.9996, end: 3601 }, '01:00:00.000 --> 01:00:01.000'],
  ['more than 99 hours', { start: 360_000, end: 3_600_000.25 }, '100:00:00.000 --> 1000:00:00.250'],
])('a cue with %s has times that players take', (_, times, written) => {
  expect(vtt.cue({ ...times, text: 'x' }, 1).split('\n')[1]).toBe(written);
});

test.each([
  ['vtt', vtt, 'webvtt'],
  ['srt', srt, 'subrip'],
] as const)(
  'FFmpeg reads the cues of %s as they were written, those that overlap too',
  async (ending, format, codec) => {
    const cues = [
      { start: 0, end: 2, text: 'Good morning' },
      { start: 1, end: 1.5, text: 'Über zwei\nZeilen' },
      { start: 1, end: 3, text: '42' },
      { start: 360_001.5, end: 360_002, text: '東京' },
    ];
    await using folder = await temporaryFolder();
    await writeFile(folder.file(`captions.${ending}`), write(format, cues, ['Language: de']));
    await using demuxer = await Demuxer.open(folder.file(`captions.${ending}`));
    const [stream] = demuxer.streams;
    expect(stream && avGetCodecName(stream.codecpar.codecId)).toBe(codec);
    const read: Cue[] = [];
    for await (using packet of demuxer.packets()) {
      if (!packet) continue;
      const start = Number(packet.pts) / 1000;
      const text = packet.data?.toString('utf8').replaceAll('\r\n', '\n') ?? '';
      read.push({ start, end: start + Number(packet.duration) / 1000, text });
    }
    expect(read).toEqual(cues);
  },
);
