import type { MapPoint } from '../../api/generated/api/index.ts';

/** A part of the map: the lowest x and y, and the highest. */
export type MapBox = [left: number, top: number, right: number, bottom: number];

export const isInBox = ({ x, y }: Pick<MapPoint, 'x' | 'y'>, [left, top, right, bottom]: MapBox): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

/** The part of the map that a URL names, as `writeBox` writes it; null when it is not four numbers. */
export function readBox(text: string | null): MapBox | null {
  const numbers = (text ?? '').split(',').map((edge) => (edge.trim() === '' ? NaN : Number(edge)));
  const [left, top, right, bottom] = numbers;
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) return null;
  return [left as number, top as number, right as number, bottom as number];
}

/** The text of a part of the map for the URL, to three decimal places. */
export const writeBox = (box: MapBox): string => box.map((edge) => edge.toFixed(3)).join(',');
