import { expect, test } from 'vitest';
import { withDroneLog } from './drone-log.ts';
import type { IndexedMedia, TextLine } from './indexed-media.ts';

const line = (text: string, track = 1000): TextLine => ({
  source: 'subtitle',
  track,
  language: null,
  start: 0,
  end: 1,
  text,
});
const video = (texts: TextLine[], latitude: number | null = null) =>
  ({ texts, recording: { latitude, longitude: latitude, place: null } }) as unknown as IndexedMedia;

const since2018 = (latitude: string, longitude: string, word = 'longitude') =>
  `FrameCnt: 1, DiffTime: 33ms\n2026-07-14 21:12:08.123\n[iso: 100] [shutter: 1/1000.0] [fnum: 1.7] [latitude: ${latitude}] [${word}: ${longitude}] [rel_alt: 1.3 abs_alt: 100.2]`;

test.each([
  ['since 2018', since2018('53.5459', '9.9695')],
  ['as some firmware spells it', since2018('53.5459', '9.9695', 'longtitude').replaceAll(': ', ' : ')],
  ['before', 'F/2.8, SS 206.14, ISO 150, EV 0, GPS (9.9695, 53.5459, 15), D 2.69m, H 7.00m'],
  ['of older ones', 'HOME(9.97,53.55) 2017.08.05 14:11:51\nGPS(9.9695,53.5459,16) BAROMETER:1.9\nISO:100 Shutter:60'],
])('the log of a drone %s gives a place and no words', (_when, note) => {
  const speech = line('Hello', 0);
  const { texts, recording } = withDroneLog(video([speech, line(note), line(note)]));
  expect(texts).toEqual([speech]);
  expect(recording).toMatchObject({ latitude: 53.5459, longitude: 9.9695 });
  expect(recording.place).toContain('Hamburg');
});

test('the first position counts that is one, unless the file names its own', () => {
  const log = [
    since2018('0.000000', '0.000000'),
    since2018('0', '0'),
    since2018('95', '9'),
    since2018('-33.86', '151.21'),
  ];
  expect(withDroneLog(video(log.map((text) => line(text)))).recording).toMatchObject({ latitude: -33.86 });
  expect(
    withDroneLog(
      video(
        log.map((text) => line(text)),
        1,
      ),
    ).recording,
  ).toMatchObject({ latitude: 1, longitude: 1 });
  const nowhere = withDroneLog(video([line(since2018('0', '0'))]));
  expect([nowhere.texts, nowhere.recording.latitude]).toEqual([[], null]);
});

test('what people say of positions is said', () => {
  const said = [line('The GPS (9.9, 53.5, 2) is wrong.'), line('[latitude: 1] [longitude: 2] he reads'), line('Bye')];
  expect(withDroneLog(video(said))).toEqual(video(said));
  expect(withDroneLog(video([]))).toEqual(video([]));
  const begin = performance.now();
  withDroneLog(video([line('[latitude: 1]'.repeat(300_000))]));
  expect(performance.now() - begin).toBeLessThan(1000);
});
