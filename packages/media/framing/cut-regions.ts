import type { RgbImage } from '../rgb-image.ts';
import { type Axis, isBlankLine, type Rectangle } from './separating-lines.ts';

/** Content thinner than this is a divider, a line of text or an icon and not cut further; a share of the image's shorter side. */
const minRegionShare = 0.1;
/** How often a region is cut across its last cut. */
const maxDepth = 6;

/**
 * Cuts images at blank lines, across and down in turn (recursive XY-cut, Nagy & Seth 1984).
 * @param frames of one size; a line is blank where it is so in all of them
 * @param minGap blank lines side by side that separate, at least: fewer occur in pictures as well
 * @returns what remains, without blank margins; what is too thin to be cut further as well
 */
export function cutRegions(frames: RgbImage[], minGap: number): Rectangle[] {
  const [{ width, height }] = frames as [RgbImage];
  const minSide = minRegionShare * Math.min(width, height);
  const regions: Rectangle[] = [];

  function cut(region: Rectangle, axis: Axis, isCutAcross: boolean, depth: number): void {
    const parts = contentAlong(frames, region, axis, minGap);
    const isWhole = parts.length === 1 && lengthOf(parts[0] as Rectangle, axis) === lengthOf(region, axis);
    for (const part of parts) {
      const isSmall = Math.min(lengthOf(part, 'row'), lengthOf(part, 'column')) < minSide;
      if (isSmall || depth === maxDepth || (isWhole && isCutAcross)) regions.push(part);
      else cut(part, axis === 'row' ? 'column' : 'row', isWhole, depth + 1);
    }
  }
  cut({ left: 0, top: 0, right: width, bottom: height }, 'row', false, 0);
  return regions;
}

const lengthOf = ({ left, top, right, bottom }: Rectangle, axis: Axis): number =>
  axis === 'row' ? bottom - top : right - left;

/** The parts of a region between its blank rows, or columns. */
function contentAlong(frames: RgbImage[], region: Rectangle, axis: Axis, minGap: number): Rectangle[] {
  const { left, top, right, bottom } = region;
  const [first, end, from, to] = axis === 'row' ? [top, bottom, left, right] : [left, right, top, bottom];
  const spans: { start: number; end: number }[] = [];
  for (let at = first; at < end; at++) {
    if (isBlankLine(frames, axis, at, from, to)) continue;
    const last = spans.at(-1);
    if (last && at - last.end < minGap) last.end = at + 1;
    else spans.push({ start: at, end: at + 1 });
  }
  return spans.map((span) =>
    axis === 'row'
      ? { left, right, top: span.start, bottom: span.end }
      : { top, bottom, left: span.start, right: span.end },
  );
}
