import { describe, expect, test } from 'vitest';
import type { OutlierMethod } from '../../../contract/highlights.ts';
import { emptyGraph, updateGraph } from './neighbor-graph.ts';
import { defaultNeighbors, scoreOutliers } from './outliers.ts';

/** Scores of points, each of an item of its own unless the items are named. */
async function scoresOf(
  method: OutlierMethod,
  points: number[][],
  neighbors = defaultNeighbors[method],
  items = points.map((_, place) => `item ${place}`),
): Promise<number[]> {
  const read = (numbers: number[]) =>
    Promise.resolve(new Map(numbers.map((number) => [number, Float32Array.from(points[number - 1] as number[])])));
  const members = items.map((media_id, place) => ({ number: place + 1, media_id, position: 0 }));
  return scoreOutliers(method, await updateGraph(emptyGraph(), members, read), read, neighbors);
}

/** Twelve points around the origin, two copies far away, and one isolated point. */
const points = [
  [1.79, 0.44, 0.1],
  [-1.86, -0.28, -0.35],
  [-0.08, -0.63, -0.04],
  [-0.48, -1.31, 0.88],
  [0.88, 1.71, 0.05],
  [-0.4, -0.55, -1.55],
  [0.98, -1.1, -1.19],
  [-0.21, 1.49, 0.24],
  [-1.02, -0.71, 0.63],
  [-0.16, -0.77, -0.23],
  [0.75, 1.98, -1.24],
  [-0.63, -0.8, -2.42],
  [6, 6, 6],
  [6, 6, 6],
  [0.1, 0.1, 5],
];
/** Four copies and two points at distances 1 and 2 of them. */
const copies = [
  [0, 0],
  [0, 0],
  [0, 0],
  [0, 0],
  [1, 0],
  [0, 2],
];

function expectClose(actual: number[], expected: number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [i, value] of expected.entries()) {
    expect(Math.abs((actual[i] as number) - value), `place ${i}`).toBeLessThanOrEqual(1e-6 * Math.max(1, value));
  }
}

describe('the local outlier factor', () => {
  test('equals the example in the documentation of scikit-learn', async () => {
    // sklearn.neighbors.LocalOutlierFactor(n_neighbors=2): -0.9821…, -1.0370…, -73.3697…, -0.9821…
    expectClose(
      await scoresOf('lof', [[-1.1], [0.2], [101.1], [0.3]], 2),
      [0.98214286, 1.03703704, 73.36970899, 0.98214286],
    );
  });

  test('of four points is what one computes by hand', async () => {
    // With k = 2 of (0,0), (0,1), (1,1), (3,0): reachability distances √2 and 1 give densities 0.8284, 0.7071, 0.8284, 0.3540.
    const square = [
      [0, 0],
      [0, 1],
      [1, 1],
      [3, 0],
    ];
    expectClose(
      await scoresOf('lof', square, 2),
      [0.9267766953018145, 1.1715728752395964, 0.9267766953018145, 2.1688503696910444],
    );
  });

  test('agrees with an independent computation, copies included', async () => {
    expectClose(
      await scoresOf('lof', points, 3),
      [
        1.2369659667623878, 1.3282580017806729, 1.0118912765586712, 0.9893122081466393, 1.107286090828422,
        1.14271951196514, 1.1351674349908185, 1.1666854223486671, 1.0098341512762212, 0.9893122081466393,
        0.9756794924334257, 1.307476825732832, 2.2899806718814877, 2.2899806718814877, 3.265314869009663,
      ],
    );
    // Among more copies than neighbours the density is bounded by the 1e-10 that scikit-learn adds too.
    expectClose(await scoresOf('lof', copies, 3), [1, 1, 1, 1, 10000000001, 20000000001]);
  });

  test('uses all others when there are fewer than k', async () => {
    expectClose(
      await scoresOf('lof', points, 20),
      [
        1.012299879409838, 0.9928508903065637, 1.000326876866713, 0.9989626902392398, 1.0136343960256824,
        0.9930510287119507, 0.9971747146668478, 1.0090541311584962, 0.9984851726419774, 0.9986598645319181,
        1.0075810794010778, 0.9872517860569935, 0.9872517860569935, 0.9872517860569935, 1.017449931876341,
      ],
    );
  });
});

describe('the distance from neighbours', () => {
  test('is the mean of the k nearest', async () => {
    expectClose(
      await scoresOf('knn', points, 5),
      [
        2.0884970803355443, 1.7998730432648813, 1.1593899342662808, 1.5980236126499272, 1.8500518096144085,
        1.455350844817, 1.780469876605703, 1.9346859786535444, 1.3704850004995894, 1.125622598383383, 2.246547272662293,
        2.0268421686933964, 7.215982784323344, 7.215982784323344, 4.847015795653201,
      ],
    );
    expectClose(await scoresOf('knn', copies, 3), [0, 0, 0, 0, 1, 2]);
  });

  test('of three points on a line is what one computes by hand', async () => {
    expectClose(await scoresOf('knn', [[0], [1], [5]], 5), [3, 2.5, 4.5]);
  });
});

describe('the distance from the mean', () => {
  test('agrees with an independent computation', async () => {
    expectClose(
      await scoresOf('centroid', points),
      [
        1.2704879202714034, 3.060227587760245, 1.841461255513011, 2.4332241071375966, 1.20091613177422,
        2.935472628991038, 2.733365365665963, 1.3401540541627626, 2.3347375774496704, 2.0733514468662135,
        2.3644547409967953, 3.8427359466343187, 9.040932818145606, 9.040932818145606, 4.314711217322532,
      ],
    );
  });

  test('of three points on a line is what one computes by hand', async () => {
    expectClose(await scoresOf('centroid', [[0], [1], [5]]), [2, 1, 3]);
  });
});

test.each(['centroid', 'knn', 'lof'] as const)('%s has a result for tiny populations', async (method) => {
  const usual = method === 'lof' ? 1 : 0;
  expect(await scoresOf(method, [])).toEqual([]);
  expectClose(await scoresOf(method, [[0.6, 0.8]]), [usual]);
  expectClose(
    await scoresOf(method, [
      [0.6, 0.8],
      [0.6, 0.8],
    ]),
    [usual, usual],
  );
});

test('consecutive chunks of one item do not count as neighbours of each other', async () => {
  // Two pairs, 0 and 1, 10 and 12: without its own partner, the nearest point is in the other pair.
  const points = [[0], [1], [10], [12]];
  const partners = ['a', 'a', 'b', 'b'];
  expectClose(await scoresOf('knn', points, 1), [1, 1, 2, 2]);
  expectClose(await scoresOf('knn', points, 1, partners), [10, 9, 9, 11]);
  expectClose(await scoresOf('knn', points, 3, partners), [11, 10, 9.5, 11.5]);
  expect(await scoresOf('knn', [[0], [5]], 1, ['a', 'a'])).toEqual([0, 0]);
  expect(await scoresOf('lof', [[0], [5]], 1, ['a', 'a'])).toEqual([1, 1]);
});
