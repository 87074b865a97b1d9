import type { Box } from '../../../contract/positions.ts';

/** What a map shows: its middle in degrees, and its zoom as Web maps count it. */
export type MapView = { latitude: number; longitude: number; zoom: number };

/** The largest zoom: streets; beyond it positions of cameras are no better. */
export const maxZoom = 18;

/** A view as the URL has it: `53.55,9.99,12`. Null for what is none. */
export function readView(text: string | null): MapView | null {
  const match = /^(-?\d{1,2}(?:\.\d{1,6})?),(-?\d{1,3}(?:\.\d{1,6})?),(\d{1,2})$/.exec(text ?? '');
  if (!match) return null;
  const [latitude, longitude, zoom] = match.slice(1).map(Number) as [number, number, number];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && zoom <= maxZoom
    ? { latitude, longitude, zoom }
    : null;
}

const short = (degrees: number): number => Number(degrees.toFixed(4));

export const writeView = ({ latitude, longitude, zoom }: MapView): string =>
  `${short(latitude)},${short(longitude)},${zoom}`;

const within = (degrees: number, most: number): number => Math.min(most, Math.max(-most, degrees));

/** A box as the API and the URL have it; what reaches beyond the map ends at its edge. */
export const writeBox = ({ south, west, north, east }: Box): string =>
  [within(south, 90), within(west, 180), within(north, 90), within(east, 180)].map(short).join(',');

/** A box a little larger than a group: a single position has no size, and digits are cut. */
export function around({ south, west, north, east }: Box): Box {
  const margin = 0.0005;
  return { south: south - margin, west: west - margin, north: north + margin, east: east + margin };
}
