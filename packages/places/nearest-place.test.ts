import { expect, test } from 'vitest';
import { describePosition, nearestPlace } from './nearest-place.ts';

test.each([
  [53.5459, 9.9695, 'Hamburg, Germany'],
  [36.9741, -122.0308, 'Santa Cruz, California, United States'],
  [-23.5505, -46.6333, 'São Paulo, Brazil'],
  // A city with an accent in a region without.
  [47.3769, 8.5417, 'Zürich, Switzerland'],
  [64.1466, -21.9426, 'Reykjavík, Capital Region, Iceland'],
  // A capital of fewer than 15,000 people.
  [41.9022, 12.4533, 'Vatican City'],
])('%f, %f is called %s', (latitude, longitude, name) => {
  expect(describePosition(latitude, longitude)).toBe(name);
});

test.each([
  ['in the middle of an ocean', 0.1, -140],
  ['at the north pole', 90, 0],
  ['at the south pole', -90, 77],
  ['in a desert', 23.5, 12],
])('%s it is called nothing', (_, latitude, longitude) => {
  expect(describePosition(latitude, longitude)).toBeNull();
});

test('the nearest place is found across the date line, and at the poles by the great circle', () => {
  // Fiji lies on both sides of 180°.
  for (const longitude of [179.9, 180, -180, -179.9])
    expect(nearestPlace(-16.5, longitude).place.country, String(longitude)).toBe('FJ');
  const north = [0, 90, 180, -90, -180].map((longitude) => nearestPlace(90, longitude));
  expect(new Set(north.map(({ place }) => place.name)).size).toBe(1);
  for (const { place, kilometres } of north) expect(kilometres).toBeCloseTo((90 - place.latitude) * 111.195, 0);
});
