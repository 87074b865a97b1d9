import { expect, test } from 'vitest';
import { unwrap, worldOutline } from './world-outline.ts';

test('no line of the outline goes across the map, and the world is whole', () => {
  const rings = worldOutline().features.flatMap(({ geometry }) => geometry.coordinates.flat());
  expect(rings.length).toBeGreaterThan(1000);
  for (const ring of rings)
    for (const [i, [longitude = 0, latitude = 0]] of ring.entries()) {
      // Along the lower edge Antarctica is closed.
      const before = ring[i - 1];
      if (before && latitude > -89) expect(Math.abs(longitude - (before[0] ?? 0))).toBeLessThan(180);
    }
});

test('a ring across the date line goes on beyond it', () => {
  const fiji = [
    [179, -16],
    [-179, -16],
    [-179, -17],
    [179, -17],
    [179, -16],
  ];
  expect(unwrap(fiji).map(([longitude]) => longitude)).toEqual([179, 181, 181, 179, 179]);
});
