/** Positions on the earth as filters have them, degrees (WGS 84). This file has no schemas, so that browsers and clients load it without them. */

/** All within some distance of a position. */
export type Circle = { latitude: number; longitude: number; km: number };

/** All between two parallels and two meridians, bounds included. A west that is greater than east means: across the date line. */
export type Box = { south: number; west: number; north: number; east: number };

/** The mean radius of the earth, kilometres. */
const earthRadius = 6371;
/** From a position to its antipode, rounded up, kilometres. */
const mostKm = 20_100;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

function readNumbers(text: string, count: number): number[] | null {
  const parts = text.split(',');
  if (parts.length !== count || !parts.every((part) => /^\s*-?\d{1,5}(?:\.\d{1,15})?\s*$/.test(part))) return null;
  return parts.map(Number);
}

const isLatitude = (value: number): boolean => Math.abs(value) <= 90;
const isLongitude = (value: number): boolean => Math.abs(value) <= 180;

/** The circle that `latitude,longitude,km` names; null for what is none. */
export function parseCircle(text: string): Circle | null {
  const [latitude = NaN, longitude = NaN, km = NaN] = readNumbers(text, 3) ?? [];
  return isLatitude(latitude) && isLongitude(longitude) && km > 0 && km <= mostKm ? { latitude, longitude, km } : null;
}

/** The box that `south,west,north,east` names; null for what is none. */
export function parseBox(text: string): Box | null {
  const [south = NaN, west = NaN, north = NaN, east = NaN] = readNumbers(text, 4) ?? [];
  return isLatitude(south) && isLatitude(north) && south <= north && isLongitude(west) && isLongitude(east)
    ? { south, west, north, east }
    : null;
}

/** What is compared with the haversine of the angle to a position: it grows with the distance, and needs no arc. */
export const haversineOf = ({ km }: Circle): number => Math.sin(Math.min(Math.PI, km / earthRadius) / 2) ** 2;

/** Whether a position is in a circle, by the great circle. NaN, where there is no position, is in none. */
export function isInCircle(circle: Circle, latitude: number, longitude: number): boolean {
  const north = Math.sin(toRadians(latitude - circle.latitude) / 2) ** 2;
  const east = Math.sin(toRadians(longitude - circle.longitude) / 2) ** 2;
  const haversine = north + Math.cos(toRadians(latitude)) * Math.cos(toRadians(circle.latitude)) * east;
  return haversine <= haversineOf(circle);
}

/** Whether a position is in a box. NaN, where there is no position, is in none. */
export const isInBox = ({ south, west, north, east }: Box, latitude: number, longitude: number): boolean =>
  latitude >= south &&
  latitude <= north &&
  (west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east);
