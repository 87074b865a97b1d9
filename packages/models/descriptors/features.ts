import { colourNames } from './colour-names.ts';

/** Parts of an image that are described separately. `border` is everything outside the middle half. */
export const regions = ['whole', 'top', 'bottom', 'centre', 'border'] as const;
export type Region = (typeof regions)[number];

/** Edge types of MPEG-7's edge histogram descriptor (ISO/IEC 15938-3; Won et al., ETRI Journal 2002). */
export const edgeTypes = ['vertical', 'horizontal', 'rising', 'falling', 'unordered'] as const;

const scalars = [
  'brightness',
  'brightness.top',
  'brightness.bottom',
  'brightness.centre',
  'brightness.border',
  'dark share',
  'bright share',
  'contrast',
  'colourfulness',
  'greyness',
  'warmth',
  'sharpness',
  'busyness',
  'busyness.border',
] as const;

const motions = ['motion', 'change', 'left', 'right', 'up', 'down'] as const;

/** Name of the feature that says how much of a colour there is in a region, such as `blue.top`. */
export const colourFeature = (colour: string, region: Region): string => `${colour}.${region}`;

/** The coordinates of the vector space, in order. */
export const featureNames: string[] = [
  ...regions.flatMap((region) => colourNames.map((colour) => colourFeature(colour, region))),
  ...scalars,
  ...edgeTypes.map((type) => `edge.${type}`),
  ...['top', 'bottom'].flatMap((region) => edgeTypes.map((type) => `edge.${type}.${region}`)),
  ...motions,
];

const places = new Map(featureNames.map((name, place) => [name, place]));

/** Position of a feature in the vector. Throws for an unknown name, so that a mistake in the dictionary is found at once. */
export function featureIndex(name: string): number {
  const place = places.get(name);
  if (place === undefined) throw new Error(`There is no feature named ${name}.`);
  return place;
}

/** Features that stills do not have. */
export const motionFeatureIndexes: number[] = motions.map(featureIndex);
/** Features that count how much of a colour there is. */
export const colourFeatureCount: number = regions.length * colourNames.length;
