import type { Feature, FeatureCollection, MultiPolygon, Polygon, Position } from 'geojson';
import { feature } from 'topojson-client';
import countries from 'world-atlas/countries-50m.json';

/** The outlines of all countries, from Natural Earth at 1:50 million (public domain). Loaded with the map: 0.2 MB. */
export function worldOutline(): FeatureCollection<MultiPolygon> {
  const topology = countries as unknown as Parameters<typeof feature>[0];
  const { features } = feature(topology, topology.objects['countries'] as never) as unknown as FeatureCollection<
    Polygon | MultiPolygon
  >;
  return { type: 'FeatureCollection', features: features.map(flatten) };
}

/** A country for a flat map: what lies on both sides of 180° is there twice, at either edge. */
function flatten({ geometry, properties }: Feature<Polygon | MultiPolygon>): Feature<MultiPolygon> {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const coordinates = polygons.flatMap((rings) => {
    const unwrapped = rings.map(unwrap);
    const longitudes = unwrapped.flatMap((ring) => ring.map(([longitude = 0]) => longitude));
    const [least, most] = longitudes.reduce(
      ([low, high], longitude) => [Math.min(low, longitude), Math.max(high, longitude)],
      [Infinity, -Infinity],
    );
    const copies = [0, ...(most > 180 ? [-360] : []), ...(least < -180 ? [360] : [])];
    return copies.map((shift) =>
      unwrapped.map((ring) => ring.map(([longitude = 0, latitude = 0]): Position => [longitude + shift, latitude])),
    );
  });
  return { type: 'Feature', properties, geometry: { type: 'MultiPolygon', coordinates } };
}

/** A ring whose longitudes go on beyond 180° instead of jumping to -180°. One around the pole is closed by way of it. */
export function unwrap(ring: Position[]): Position[] {
  let turns = 0;
  const unwrapped = ring.map(([longitude = 0, latitude = 0], i): Position => {
    const step = longitude - (ring[i - 1]?.[0] ?? longitude);
    if (Math.abs(step) > 180) turns -= Math.sign(step);
    return [longitude + 360 * turns, latitude];
  });
  const [first, last] = [unwrapped[0]?.[0] ?? 0, unwrapped.at(-1)?.[0] ?? 0];
  return Math.abs(last - first) < 180 ? unwrapped : [...unwrapped, [last, -90], [first, -90]];
}
