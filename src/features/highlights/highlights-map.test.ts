import { describe, expect, test } from 'vitest';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { fitLabels } from './map-labels.tsx';
import { createLevels, spotAt } from './map-levels.ts';
import { nearestTowards } from './nearest-towards.ts';

const size = { width: 1000, height: 700 };
const whole = { k: 1, x: 0, y: 0 };

const pointAt = (x: number, y: number, name = `${x} ${y}`): MapPoint => ({
  id: name,
  chunk_id: name,
  x,
  y,
  score: 0.5,
});

/** Many points, the same in each run. */
const many = Array.from({ length: 3000 }, (_, i) =>
  pointAt((Math.sin(i * 12.9898) + 1) / 2, (Math.cos(i * 78.233) + 1) / 2, `chunk ${i}`),
);

describe('the pictures of a map', () => {
  const levels = createLevels(many, size, 10);

  test('are some of all at first, and more the more it is magnified; what was shown stays', () => {
    const counts = [1, 2, 4, 8, 64].map((k) => levels.countAt({ k, x: 0, y: 0 }));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(new Set(counts).size).toBe(counts.length);
    expect(counts[0]).toBeGreaterThan(100);
    expect(counts[0]).toBeLessThan(500);
    const first = levels.spotsIn(whole).map(({ spot }) => spot.point);
    // Magnified about the upper left corner, where some of them still are.
    const later = new Set(levels.spotsIn({ k: 2, x: 0, y: 0 }).map(({ spot }) => spot.point));
    const stillThere = first.filter(({ x, y }) => x < 0.4 && y < 0.4);
    expect(stillThere.length).toBeGreaterThan(5);
    expect(stillThere.filter((point) => !later.has(point))).toEqual([]);
  });

  test('stand for all points of the map, and show those that stand out above others', () => {
    const spots = levels.spotsIn(whole);
    expect(spots.reduce((sum, { spot }) => sum + spot.count, 0)).toBe(many.length);
    const unusual = new Set(many.slice(0, 10));
    const shown = spots.filter(({ spot }) => unusual.has(spot.point));
    expect(shown.length).toBeGreaterThan(5);
    expect(spots.slice(-shown.length)).toEqual(shown);
  });

  test('grow where they are alone, and are found where they are drawn', () => {
    const few = createLevels([pointAt(0.1, 0.1), pointAt(0.9, 0.9)], size, 1).spotsIn(whole);
    expect(Math.min(...few.map(({ side }) => side))).toBeGreaterThan(70);
    const [one] = few;
    expect(spotAt(few, [one!.x + one!.side / 2 - 1, one!.y], 0)).toBe(one);
    expect(spotAt(few, [one!.x + one!.side / 2 + 3, one!.y], 0)).toBeNull();
    expect(spotAt(few, [one!.x + one!.side / 2 + 3, one!.y], 8)).toBe(one);
  });

  test('of no points are none', () => {
    expect(createLevels([], size, 10).spotsIn(whole)).toEqual([]);
  });
});

describe('an arrow key', () => {
  const [middle, right, farRight, below, twin] = [
    pointAt(0.5, 0.5, 'middle'),
    pointAt(0.6, 0.55, 'right'),
    pointAt(0.9, 0.5, 'far right'),
    pointAt(0.52, 0.8, 'below'),
    pointAt(0.5, 0.5, 'twin'),
  ];
  const points = [middle, right, farRight, below, twin];

  test('leads to the nearest point in its direction, and stays where there is none', () => {
    expect(nearestTowards(points, middle, [1, 0])).toBe(right);
    expect(nearestTowards(points, right, [1, 0])).toBe(farRight);
    expect(nearestTowards(points, middle, [0, 1])).toBe(right);
    expect(nearestTowards(points, right, [0, 1])).toBe(below);
    expect(nearestTowards(points, farRight, [1, 0])).toBe(farRight);
  });
});

describe('names on a map', () => {
  const label = (text: string, x: number, y: number, level: number, count: number) => ({ text, x, y, level, count });
  const labels = [
    label('beach, sea', 0.2, 0.2, 0, 90),
    label('coast', 0.21, 0.2, 0, 20),
    label('dog', 0.8, 0.8, 0, 60),
    label('beach', 0.15, 0.2, 1, 40),
    label('puppy', 0.8, 0.8, 2, 10),
  ];
  const textsAt = (k: number) => fitLabels(labels, size, { k, x: 0, y: 0 }).map((placed) => placed.label.text);

  test('are those of large groups first, where they do not overlap, and finer ones when it is magnified', () => {
    expect(textsAt(1)).toEqual(['beach, sea', 'dog']);
    expect(textsAt(2.5)[0]).toBe('beach');
    expect(textsAt(2.5)).not.toContain('puppy');
  });

  test('at an edge are moved in, so that they can be read whole', () => {
    const [placed] = fitLabels([label('a very long name of a group', 0, 0, 0, 5)], size, whole);
    expect(placed?.left).toBeGreaterThan(80);
  });
});
