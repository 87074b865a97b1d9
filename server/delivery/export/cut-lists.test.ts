import type { CutListEntry } from '@media-search/media/cut-list/cut-list';
import { writeEdl } from '@media-search/media/cut-list/write-edl';
import { writeFcpxml } from '@media-search/media/cut-list/write-fcpxml';
import { toUsualRate } from '@media-search/media/describe-editing';
import { expect, test } from 'vitest';
import { formatTimecode, parseTimecode } from '../../../packages/media/cut-list/timecode.ts';
import { clipName, createUniqueNames, toSafeName } from './file-names.ts';

const ntsc = { num: 30_000, den: 1001 };
const pal = { num: 25, den: 1 };

const entry = (changes: Partial<CutListEntry> = {}): CutListEntry => ({
  mediaId: 'a',
  filename: 'harbour.mp4',
  location: null,
  name: 'harbour.mp4',
  start: 2,
  end: 4,
  duration: 60,
  width: 1920,
  height: 1080,
  facts: { rate: pal, timecode: null, audio: { channels: 2, sampleRate: 48_000 } },
  ...changes,
});

// SMPTE ST 12-1: two numbers are left out each minute but every tenth, at 59.94 four.
test.each([
  [ntsc, 0, '00:00:00;00'],
  [ntsc, 1799, '00:00:59;29'],
  [ntsc, 1800, '00:01:00;02'],
  [ntsc, 17_981, '00:09:59;29'],
  [ntsc, 17_982, '00:10:00;00'],
  [ntsc, 107_892, '01:00:00;00'],
  [{ num: 60_000, den: 1001 }, 3600, '00:01:00;04'],
  [{ num: 24_000, den: 1001 }, 86_400, '01:00:00:00'],
  [pal, 90_026, '01:00:01:01'],
])('timecode at %o: frame %i is %s, and back', (rate, frames, timecode) => {
  expect(formatTimecode(frames, rate)).toBe(timecode);
  expect(parseTimecode(timecode, rate)).toBe(frames);
});

test('a measured rate stands for the usual one next to it', () => {
  expect(toUsualRate(29.97)).toEqual(ntsc);
  expect(toUsualRate(30)).toEqual({ num: 30, den: 1 });
  expect(toUsualRate(23.98)).toEqual({ num: 24_000, den: 1001 });
  expect(toUsualRate(29.87)).toEqual(ntsc);
  expect(toUsualRate(12.5)).toEqual({ num: 12_500, den: 1000 });
  expect(toUsualRate(Number.NaN)).toEqual(pal);
});

test('an EDL counts source frames from the timecode of the source, and tells sources apart', () => {
  const rate = ntsc;
  const facts = { rate, timecode: '10:00:00;00', audio: null };
  const edl = writeEdl({
    title: 'Two\nlines',
    omitted: [],
    entries: [
      entry({ facts }),
      entry({ mediaId: 'b', facts, name: 'A\r\nnote' }),
      entry({ facts: { ...facts, rate: pal } }),
    ],
  });
  expect(edl.split('\r\n')).toEqual([
    'TITLE: Two lines',
    'FCM: DROP FRAME',
    '* RECORD RATE: 29.97 FRAMES A SECOND',
    '',
    '001  HARBOUR  V     C        10:00:02;00 10:00:04;00 01:00:00;00 01:00:02;00',
    '* FROM CLIP NAME: harbour.mp4',
    '',
    '002  HARBOUR2 V     C        10:00:02;00 10:00:04;00 01:00:02;00 01:00:04;00',
    '* FROM CLIP NAME: harbour.mp4',
    '* COMMENT: A note',
    '',
    '003  HARBOUR  V     C        10:00:02:00 10:00:04:00 01:00:04;00 01:00:06;00',
    '* FROM CLIP NAME: harbour.mp4',
    '* SOURCE RATE: 25 FRAMES A SECOND',
    '',
  ]);
});

test('a moment has as many frames in the source as in the sequence, also where its ends round apart', () => {
  const rate = { num: 20, den: 1 };
  const list = {
    title: 'A',
    omitted: [],
    entries: [entry({ start: 1.01, end: 2.03, facts: { rate, timecode: null, audio: null } })],
  };
  expect(writeEdl(list)).toContain('00:00:01:00 00:00:02:01 01:00:00:00 01:00:01:01');
  expect(writeFcpxml(list)).toContain('start="1s" duration="21/20s"');
});

test('FCPXML holds whole frames as fractions, and any name', () => {
  const name = `<&"'>\u0000\uD800 🎬\n--`;
  const xml = writeFcpxml({
    title: 'A',
    omitted: [`${name}-->`],
    entries: [
      entry({ filename: `${name}.mp4`, name }),
      entry({ start: 4, end: 5 }),
      entry({ mediaId: 'b', facts: { rate: ntsc, timecode: '01:00:00;00', audio: null } }),
    ],
  });
  expect(xml.match(/<asset /g)).toHaveLength(2);
  expect(xml).toContain('name="&lt;&amp;&quot;&apos;&gt;\uFFFD 🎬 --"');
  expect(xml).toContain('src="./%3C%26%22&apos;%3E%00%EF%BF%BD%20%F0%9F%8E%AC%0A--.mp4"');
  expect(xml).toContain('frameDuration="1/25s"');
  expect(xml).toContain('frameDuration="1001/30000s"');
  // Two seconds at 29.97 are 60 frames; an hour of drop-frame timecode is 107,892.
  expect(xml).toContain(`start="${(107_892 + 60) * 1001}/30000s"`);
  expect(xml).toContain('offset="3s"');
  expect(xml).not.toMatch(/<!--(?:(?!-->).)*--(?!>)/s);
});

test('names of files are safe everywhere and still tell what they are', () => {
  expect(toSafeName('../../etc/passwd')).toBe('_.._etc_passwd');
  expect(toSafeName('a\\b:c*d?.mp4')).toBe('a_b_c_d_.mp4');
  expect(toSafeName('con.txt')).toBe('_con.txt');
  expect(toSafeName('LPT1.tar.gz')).toBe('_LPT1.tar.gz');
  expect(toSafeName(' . ')).toBe('file');
  expect(toSafeName('a\u0000\u202Egpj.mp4\n')).toBe('agpj.mp4');
  expect(Buffer.byteLength(toSafeName(`${'🎬'.repeat(300)}.mp4`))).toBeLessThanOrEqual(200);
  expect(toSafeName(`${'🎬'.repeat(300)}.mp4`)).toMatch(/^🎬+\.mp4$/u);
  expect(clipName('my film.mov', { start: 3723.5, end: 3724.04 }, 'mp4')).toBe('my film 01.02.03.500-01.02.04.040.mp4');
  const unique = createUniqueNames();
  expect(['a.mp4', 'A.mp4', 'a.mp4', 'a (2).mp4'].map(unique)).toEqual([
    'a.mp4',
    'A (2).mp4',
    'a (3).mp4',
    'a (2) (2).mp4',
  ]);
});
