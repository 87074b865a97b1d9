import { type ComparedFrame, compareRoughly, findCrop } from './frame-kernel.ts';
import { type Fit, fitBy, type Geometry, fitWhole, refineGeometry } from './geometry.ts';

/** Pictures as alike as this are taken as not cropped. */
const enoughAlike = 0.96;
/** What a crop has to gain before it counts: among many parts one fits better by chance. */
const minGain = 0.02;
/** How alike frames have to be at half their resolution before they are compared at their own: as a whole, and by a crop. */
const [minRoughWhole, minRough] = [0.7, 0.8];
/** How alike they have to be then before a crop is made exact. */
const minFine = 0.65;
/** Where a crop that was made exact fits worse than this, none of the other pairs is looked at. */
const minExact = 0.8;
/** Frames that may be the same, at least. */
export const minSeed = 0.86;
/** Geometries of two moments that lines are looked for by, at most. */
const maxGeometries = 3;

/** Two frames that may show the same moment. */
export type ComparedPair = { a: ComparedFrame; b: ComparedFrame };

/**
 * How the pictures of some pairs of frames fit: as they are, one mirrored, one cropped.
 * @returns what may be the same, the best first; where pairs say different things, several
 */
export function fitPictures(pairs: ComparedPair[]): Geometry[] {
  let whole: Fit | null = null;
  const cropped: (Fit & { pair: ComparedPair })[] = [];
  for (const pair of pairs) {
    const fit = compareRoughly(pair.a, pair.b) < minRoughWhole ? null : fitWhole(pair.a.cells, pair.b.cells);
    if (fit && (!whole || fit.similarity > whole.similarity)) whole = fit;
    if (fit && fit.similarity >= enoughAlike) return [fit.geometry];
    const { geometry, similarity: rough } = findCrop(pair.a, pair.b);
    if (rough < minRough) continue;
    const similarity = fitBy({ a: pair.a.cells, b: pair.b.cells }, geometry);
    if (similarity >= Math.max(minFine, fit ? fit.similarity + minGain : 0))
      cropped.push({ geometry, similarity, pair });
  }
  const exact: Fit[] = whole ? [whole] : [];
  for (const { geometry, pair } of cropped.toSorted((x, y) => y.similarity - x.similarity)) {
    const fit = refineGeometry([{ a: pair.a.cells, b: pair.b.cells }], geometry);
    exact.push(fit);
    if (fit.similarity < minExact) break;
  }
  const alike = exact.filter(({ similarity }) => similarity >= minSeed).toSorted((x, y) => y.similarity - x.similarity);
  return alike.slice(0, maxGeometries).map(({ geometry }) => geometry);
}
