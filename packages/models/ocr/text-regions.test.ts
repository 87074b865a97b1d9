import { expect, test } from 'vitest';
import { findTextRegions, type ProbabilityMap } from './text-regions.ts';

/** A map with bars: centre, length, thickness in pixels, direction in degrees, probability. */
function drawMap(bars: [x: number, y: number, length: number, thickness: number, degrees: number, value: number][]) {
  const map: ProbabilityMap = { width: 320, height: 192, data: new Float32Array(320 * 192) };
  for (const [cx, cy, length, thickness, degrees, value] of bars) {
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    for (let i = 0; i < map.data.length; i++) {
      const [dx, dy] = [(i % 320) + 0.5 - cx, Math.floor(i / 320) + 0.5 - cy];
      const isInside = Math.abs(dx * cos + dy * sin) <= length / 2 && Math.abs(dy * cos - dx * sin) <= thickness / 2;
      if (isInside) map.data[i] = value;
    }
  }
  return map;
}

test('a kernel becomes a rectangle of its direction, grown by area · 1.5 / perimeter to all sides', () => {
  for (const degrees of [0, 10, -30]) {
    const [region, ...others] = findTextRegions(drawMap([[160, 96, 120, 12, degrees, 0.9]]));
    expect(others).toEqual([]);
    const margin = (120 * 12 * 1.5) / (2 * (120 + 12));
    expect(region?.centre.x).toBeCloseTo(160, 0);
    expect(region?.centre.y).toBeCloseTo(96, 0);
    expect(Math.abs((region?.width ?? 0) - (120 + 2 * margin))).toBeLessThan(4);
    expect(Math.abs((region?.height ?? 0) - (12 + 2 * margin))).toBeLessThan(4);
    expect((region?.angle ?? 0) * (180 / Math.PI)).toBeCloseTo(degrees, 0);
    expect(region?.score).toBeCloseTo(0.9);
  }
});

test('an upright line is higher than wide, and level', () => {
  const [region] = findTextRegions(drawMap([[50, 96, 12, 120, 0, 0.9]]));
  expect(region?.angle).toBeCloseTo(0);
  expect(region?.height).toBeGreaterThan(120);
});

test('kernels that are unsure or tiny are none, and those that touch at a corner are one', () => {
  expect(findTextRegions(drawMap([[160, 96, 120, 12, 0, 0.5]]))).toEqual([]);
  expect(findTextRegions(drawMap([[160, 96, 120, 2, 0, 0.9]]))).toEqual([]);
  const map = drawMap([]);
  for (let i = 0; i < 16 * 20; i++) {
    const [block, x, y] = [Math.floor(i / 16), i % 4, Math.floor(i / 4) % 4];
    map.data[(50 + 4 * block + y) * 320 + 100 + 4 * block + x] = 1;
  }
  expect(findTextRegions(map)).toHaveLength(1);
});

test('noise gives at most 500 regions', () => {
  const map: ProbabilityMap = { width: 640, height: 640, data: new Float32Array(640 * 640) };
  for (let i = 0; i < map.data.length; i++) {
    if (i % 8 < 5 && Math.floor(i / 640) % 8 < 5) map.data[i] = 1;
  }
  expect(findTextRegions(map)).toHaveLength(500);
});
