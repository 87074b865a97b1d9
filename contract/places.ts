import { z } from 'zod';
import { itemFilters } from './fields.ts';
import { areaParameter, listFilterParameters } from './filters.ts';
import type { Operation } from './operation.ts';
import { identifier, integerParameter } from './parameters.ts';

/** Values of a field that are counted, at most. */
export const maxFacetValues = 50;

/** The filters whose values are counted: those of one of some words, and of names. */
export const facetFilters = itemFilters.filter(({ field }) => field.kind === 'choice' || field.kind === 'text');

const facetValue = z.object({ value: z.string(), count: z.int().min(1) });

const facets = z
  .object(Object.fromEntries(facetFilters.map(({ parameter }) => [parameter, z.array(facetValue)])))
  .meta({
    id: 'Facets',
    examples: [
      {
        ...Object.fromEntries(facetFilters.map(({ parameter }) => [parameter, []])),
        camera: [{ value: 'Apple iPhone 15', count: 212 }],
      },
    ],
  });

const listPlacesQuery = z.object({
  ...listFilterParameters,
  zoom: integerParameter(0, 20)
    .default(2)
    .describe(
      'How large the map is: the world is 256 · 2^zoom pixels wide. Items less than about 64 pixels apart are one group.',
    ),
  view: areaParameter('box')
    .optional()
    .describe('What of the map is shown, as `box` has it: groups outside are left out.'),
});
export type ListPlacesQuery = z.output<typeof listPlacesQuery>;

const degrees = (most: number) => z.number().min(-most).max(most);

const placeBox = z.object({ south: degrees(90), west: degrees(180), north: degrees(90), east: degrees(180) });

const placeGroup = z
  .object({
    latitude: degrees(90).describe('The middle of the items, degrees (WGS 84).'),
    longitude: degrees(180),
    count: z.int().min(1),
    box: placeBox.describe('What holds all of its items.'),
    media_id: identifier.describe('The item that was recorded last.'),
    filename: z.string(),
    place: z.string().nullable().describe('What the place of that item is called.'),
    thumbnail: z.string().nullable().describe('Of that item. Signed; it expires.'),
  })
  .meta({
    id: 'PlaceGroup',
    examples: [
      {
        latitude: 53.5459,
        longitude: 9.9695,
        count: 12,
        box: { south: 53.54, west: 9.95, north: 53.56, east: 9.99 },
        media_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85',
        filename: 'harbour.mp4',
        place: 'Hamburg, Germany',
        thumbnail: null,
      },
    ],
  });

const placesMeta = z
  .object({
    located: z.int().min(0).describe('Items of the filter that have a position, in the view or not.'),
    box: placeBox.nullable().describe('What holds all of them; null: there are none.'),
    tiles: z
      .object({ url: z.string(), attribution: z.string() })
      .nullable()
      .describe('What a map may be drawn with: a template with `{z}`, `{x}` and `{y}`; null: nothing but an outline.'),
  })
  .meta({
    id: 'PlacesMeta',
    examples: [{ located: 12, box: { south: 53.54, west: 9.95, north: 53.56, east: 9.99 }, tiles: null }],
  });

/** What is told of all items of a filter: how many have which value, and where they were recorded. */
export const placeOperations = {
  countFacets: {
    method: 'GET',
    path: '/media/facets',
    tag: 'Media',
    access: 'key',
    summary: 'Count media by the values of their fields.',
    description: `Under the filter of the request; the values of a field are counted without the filter of that field. At most ${maxFacetValues} of each, the most frequent first.`,
    query: z.object({ ...listFilterParameters }),
    responses: { 200: 'The values with their counts, by the parameters of the filters.' },
    data: facets,
    errors: [],
  },
  listPlaces: {
    method: 'GET',
    path: '/media/places',
    tag: 'Media',
    access: 'key',
    summary: 'Where media were recorded, in groups for a map.',
    description: 'Items without a position are left out. At most 1000 groups, the largest first.',
    query: listPlacesQuery,
    responses: { 200: 'The groups in the view.' },
    data: z.array(placeGroup),
    meta: placesMeta,
    errors: [],
  },
} as const satisfies Record<string, Operation>;
