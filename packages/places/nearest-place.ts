import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { around, distance } from 'geokdbush';
import KDBush from 'kdbush';

/** A city or a town of the gazetteer. */
export type Place = {
  name: string;
  /** The first administrative division of its country, such as a state; null where GeoNames names none. */
  region: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** Degrees, WGS 84. */
  latitude: number;
  longitude: number;
};

/** The gazetteer: its text, where each line begins, and a tree of the positions of the lines. */
type Gazetteer = { text: string; starts: Uint32Array; tree: KDBush };

/** Farther away from the nearest place a picture was not taken at it: at sea, in a desert. Kilometres. */
const maxKilometres = 50;

let opened: Gazetteer | undefined;

/**
 * Read when a place is first asked for, and kept: 3 MB. Each line is a place: name, region, country, latitude, longitude, with tabs in between. They are GeoNames' places of
 * 15,000 people or more, and capitals (`lab/places/build-gazetteer.ts`).
 */
function openGazetteer(): Gazetteer {
  const file = path.join(import.meta.dirname, 'cities.tsv.br');
  const text = brotliDecompressSync(readFileSync(file)).toString();
  const lines = text.trimEnd().split('\n');
  const starts = new Uint32Array(lines.length + 1);
  const tree = new KDBush(lines.length);
  for (const [i, line] of lines.entries()) {
    starts[i + 1] = (starts[i] as number) + line.length + 1;
    const [, , , latitude, longitude] = line.split('\t');
    tree.add(Number(longitude), Number(latitude));
  }
  tree.finish();
  return { text, starts, tree };
}

/**
 * The place of the gazetteer that is nearest by the great circle.
 * @param latitude degrees, -90..90
 * @param longitude degrees, -180..180
 * @returns the place, and how far away it is
 */
export function nearestPlace(latitude: number, longitude: number): { place: Place; kilometres: number } {
  const { text, starts, tree } = (opened ??= openGazetteer());
  const [i] = around(tree, longitude, latitude, 1) as [number];
  const line = text.slice(starts[i], (starts[i + 1] as number) - 1);
  const [name, region, country, north, east] = line.split('\t') as [string, string, string, string, string];
  const place = { name, region: region || null, country, latitude: Number(north), longitude: Number(east) };
  return { place, kilometres: distance(longitude, latitude, place.longitude, place.latitude) };
}

const countries = new Intl.DisplayNames('en', { type: 'region' });

/** A name as GeoNames spells it without accents: its cities have them and its regions often not. */
const plain = (name: string | null | undefined): string => (name ?? '').normalize('NFD').replaceAll(/\p{M}/gu, '');

/**
 * What a position is called: `Santa Cruz, California, United States`; a region of the name of its city is said once.
 * @returns null where no place is within 50 km: a name of some coast would be wrong, and no country is known there
 */
export function describePosition(latitude: number, longitude: number): string | null {
  const { place, kilometres } = nearestPlace(latitude, longitude);
  if (kilometres > maxKilometres) return null;
  const parts = [place.name, place.region, countries.of(place.country)].filter((part) => !!part);
  return parts.filter((part, i) => parts.findIndex((other) => plain(other) === plain(part)) === i).join(', ');
}
