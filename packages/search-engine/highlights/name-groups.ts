import { randomLcg } from 'd3-random';
import type { MapPoint } from './map-layout.ts';
import type { ConceptScores } from './match-concepts.ts';

/** What a group of a map shows, in a concept or two, where it lies, and how fine it is: 0 for the largest groups. */
export type GroupName = { text: string; x: number; y: number; level: number; count: number };

/** How many groups there are of each fineness, at most. */
const groupCounts = [8, 24, 72];
/** A group has at least so many points on average, so that its name says something of more than a few pictures. */
const leastMembers = 6;
const rounds = 12;
/** A smaller group has no name: the name of one picture says nothing of a part of the map. */
const leastNamed = 3;
/** A concept names a group when its moments show it, on average, by this share of what is clear in a single one. */
const namingShare = 0.5;
/** A second concept is named too when it says nearly as much as the first. */
const secondShare = 0.85;
/** The same name is not written twice within this distance. */
const leastGap = 0.18;

/**
 * Names the groups of a map, coarse ones and fine ones: by the concepts that their moments show more than all others do. A group that shows nothing in
 * common has no name.
 * @param points of the moments that the scores are of, in their order
 */
export function nameGroups(points: readonly MapPoint[], scores: ConceptScores): GroupName[] {
  const overall = meanScores(scores, [...points.keys()]);
  return groupCounts.flatMap((most, level) => {
    const count = Math.min(most, Math.floor(points.length / leastMembers));
    if (count === 0 || (level > 0 && count <= (groupCounts[level - 1] as number))) return [];
    const names = groupPoints(points, count).flatMap((members): GroupName[] => {
      const text = members.length < leastNamed ? null : nameOf(scores, members, overall);
      return text === null ? [] : [{ text, ...middleOf(points, members), level, count: members.length }];
    });
    return withoutRepeated(names);
  });
}

/** Groups of points that lie together (k-means, from a start that spreads over all), as places. */
function groupPoints(points: readonly MapPoint[], count: number): number[][] {
  const random = randomLcg(0.5);
  const centres = spreadCentres(points, count, random);
  const own = new Int32Array(points.length);
  for (let round = 0; round < rounds; round++) {
    for (const [i, point] of points.entries()) own[i] = nearestOf(centres, point);
    const sums = centres.map(() => ({ x: 0, y: 0, count: 0 }));
    for (const [i, { x, y }] of points.entries()) {
      const sum = sums[own[i]!]!;
      sum.x += x;
      sum.y += y;
      sum.count += 1;
    }
    for (const [i, sum] of sums.entries()) {
      if (sum.count > 0) centres[i] = { x: sum.x / sum.count, y: sum.y / sum.count };
    }
  }
  const groups = centres.map((): number[] => []);
  for (const i of points.keys()) groups[own[i]!]!.push(i);
  return groups.filter((members) => members.length > 0);
}

/** The start of k-means++ (Arthur & Vassilvitskii 2007): far from those before, likely. */
function spreadCentres(points: readonly MapPoint[], count: number, random: () => number): MapPoint[] {
  const centres = [points[Math.floor(random() * points.length)]!];
  const gaps = points.map((point) => squaredGap(point, centres[0]!));
  while (centres.length < count) {
    let left = random() * gaps.reduce((sum, gap) => sum + gap, 0);
    let chosen = gaps.findIndex((gap) => (left -= gap) <= 0);
    if (chosen === -1) chosen = 0;
    const centre = points[chosen]!;
    centres.push(centre);
    for (const [i, point] of points.entries()) gaps[i] = Math.min(gaps[i]!, squaredGap(point, centre));
  }
  return centres;
}

const squaredGap = (a: MapPoint, b: MapPoint): number => (a.x - b.x) ** 2 + (a.y - b.y) ** 2;

function nearestOf(centres: readonly MapPoint[], point: MapPoint): number {
  let [best, least] = [0, Infinity];
  for (const [i, centre] of centres.entries()) {
    const gap = squaredGap(centre, point);
    if (gap < least) [best, least] = [i, gap];
  }
  return best;
}

function meanScores({ names, values }: ConceptScores, members: readonly number[]): Float64Array {
  const means = new Float64Array(names.length);
  for (const row of members) {
    for (let column = 0; column < names.length; column++) {
      means[column]! += values[row * names.length + column]! / members.length;
    }
  }
  return means;
}

/** The concept that tells a group from all others, or two; null when its moments have none in common. */
function nameOf(scores: ConceptScores, members: readonly number[], overall: Float64Array): string | null {
  const own = meanScores(scores, members);
  const ranked = Array.from(own, (score, column) => ({ column, score, weight: score - overall[column]! / 2 }))
    .filter(({ score }) => score >= namingShare * scores.clear)
    .toSorted((a, b) => b.weight - a.weight);
  const [first] = ranked;
  if (!first) return null;
  const name = scores.names[first.column] as string;
  const second = ranked.find(
    ({ column, weight }) => weight >= secondShare * first.weight && !sharesWord(name, scores.names[column] as string),
  );
  return second ? `${name}, ${scores.names[second.column]}` : name;
}

/** Whether one of two concepts says the other once more, as "building" and "apartment building" do. */
const sharesWord = (a: string, b: string): boolean => {
  const stems = (text: string) => text.split(' ').map((word) => word.slice(0, 4));
  const known = new Set(stems(a));
  return stems(b).some((stem) => known.has(stem));
};

/** The member nearest to the mean of a group, so that a name stands on pictures and not between two heaps. */
function middleOf(points: readonly MapPoint[], members: readonly number[]): MapPoint {
  const sum = members.reduce(({ x, y }, i) => ({ x: x + points[i]!.x, y: y + points[i]!.y }), { x: 0, y: 0 });
  const mean = { x: sum.x / members.length, y: sum.y / members.length };
  const middle =
    members[
      nearestOf(
        members.map((i) => points[i]!),
        mean,
      )
    ]!;
  return { x: points[middle]!.x, y: points[middle]!.y };
}

/** Of the same name near itself the one of the larger group. */
const withoutRepeated = (names: GroupName[]): GroupName[] =>
  names
    .toSorted((a, b) => b.count - a.count)
    .filter(
      (name, i, all) =>
        !all.slice(0, i).some((other) => other.text === name.text && Math.sqrt(squaredGap(other, name)) < leastGap),
    );
