import type { Moment } from '@media-search/media/rgb-image';
import { dot } from '@media-search/search-engine/vectors';
import { expect, test } from 'vitest';
import { drawImage, type Paint, plain, square } from '../media/samples/draw-media.ts';
import { descriptorsEmbedder } from '../models/descriptors/descriptors-embedder.ts';
import { chooseMoments } from './choose-moments.ts';

/** A sample each quarter of a second. */
const samplesOf = (paints: Paint[]) =>
  paints.map((paint, i) => ({ time: i / 4, image: drawImage(paint, 64, 36, i / 4) }));

const sky: Paint = (x, y, time) => [90 + 20 * Math.sin(8 * x + time), 140 + 10 * Math.cos(9 * y), 220];
const event = square([210, 20, 25], [250, 250, 250]);

/** Ten seconds of sky, in which something else is seen at these samples. */
const withEvent = (at: number[]) => samplesOf(Array.from({ length: 40 }, (_, i) => (at.includes(i) ? event : sky)));

test.each([0, 3, 11, 17, 29, 38])('half a second of something else, from sample %i on, is among them', async (at) => {
  const chosen = chooseMoments(withEvent([at, at + 1]));
  expect(chosen).toHaveLength(6);
  const isEvent = ({ image }: Moment) => (image.data[0] as number) > 245;
  expect(chosen.filter(isEvent).length).toBeGreaterThanOrEqual(1);
  expect(chosen.filter((moment) => !isEvent(moment)).length).toBeGreaterThanOrEqual(3);
  // And a search for it finds the chunk before one without.
  const [short, none] = (await descriptorsEmbedder.embedChunks([chosen, chooseMoments(withEvent([]))])).map(
    ({ vector }) => vector,
  );
  const { vector } = await descriptorsEmbedder.embedText('red on white');
  expect(dot(short as Float32Array, vector as Float32Array)).toBeGreaterThan(
    dot(none as Float32Array, vector as Float32Array) + 0.1,
  );
});

test('come in order of time, each with what follows it; of few samples all', () => {
  const samples = withEvent([5]);
  const places = chooseMoments(samples).map(({ image }) => samples.findIndex((each) => each.image === image));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  for (const { image, next } of chooseMoments(samples)) {
    const at = samples.findIndex((each) => each.image === image);
    expect(next?.image).toBe(samples[at + 1]?.image);
  }
  expect(chooseMoments(samplesOf([sky, event, plain(0, 0, 0), sky]))).toHaveLength(4);
  expect(chooseMoments(samplesOf([sky]))).toEqual([{ image: expect.anything() as unknown, next: null }]);
});
