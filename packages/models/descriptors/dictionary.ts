import { colourNames, type ColourName } from './colour-names.ts';
import { colourFeature, type Region } from './features.ts';

/** The meaning of a word or phrase: weights on features, positive for features that should be above average. */
export type Meaning = {
  weights: Record<string, number>;
  /** A colour, which a word beside it can move to a region. */
  colour?: ColourName;
  /** The region where an object usually is: a colour right before its name applies there ("blue sky"). */
  region?: Region;
  /** Whether the word names a thing, an action or a place, of which this is only the look. */
  isThing?: true;
};

const at = (colour: ColourName, region: Region = 'whole', weight = 1): Record<string, number> => ({
  [colourFeature(colour, region)]: weight,
});

/** Shades and the basic terms they are kinds of. */
const shades: Record<ColourName, string> = {
  black: 'black jet-black ebony onyx pitch-black',
  white: 'white ivory cream off-white pearl alabaster',
  grey: 'grey gray silver charcoal slate ash metallic steel',
  red: 'red scarlet crimson ruby cherry vermilion blood-red maroon burgundy carmine',
  orange: 'orange amber apricot tangerine copper rust coral peach',
  brown: 'brown tan beige chocolate coffee sepia chestnut bronze khaki sand-coloured wooden caramel mahogany',
  yellow: 'yellow gold golden lemon mustard blond blonde',
  green: 'green lime olive emerald jade mint forest-green khaki-green lush',
  blue: 'blue azure navy cyan turquoise teal aqua cobalt indigo sky-blue aquamarine ultramarine',
  purple: 'purple violet lilac lavender mauve plum magenta amethyst',
  pink: 'pink rose salmon fuchsia blush hot-pink rosy',
};

const light: [string, Record<string, number>][] = [
  ['dark darkness dim gloomy shadow shadowy unlit underexposed low-key murky', { brightness: -1, 'dark share': 1 }],
  [
    'bright light luminous sunlit well-lit high-key radiant brightly-lit',
    { brightness: 1, 'bright share': 0.6, 'dark share': -0.5 },
  ],
  [
    'night nighttime midnight nocturnal moonlight starry',
    { 'dark share': 1, brightness: -1, 'brightness.top': -0.6, contrast: 0.2 },
  ],
  [
    'day daytime daylight noon midday morning',
    { 'dark share': -0.6, 'brightness.top': 0.6, 'bright share': -0.3, ...at('blue', 'top', 0.3) },
  ],
  [
    'sunny sunshine',
    { contrast: 0.5, colourfulness: 0.4, busyness: 0.4, 'bright share': -0.4, ...at('blue', 'top', 0.6) },
  ],
  ['overexposed washed-out glaring blinding', { 'bright share': 1, brightness: 0.8 }],
  ['contrast contrasty high-contrast silhouette backlit stark', { contrast: 1 }],
  ['low-contrast faded flat hazy washed', { contrast: -1 }],
  [
    'colourful colorful vivid saturated multicoloured multicolored vibrant rainbow',
    // Not one strong colour but several.
    {
      colourfulness: 0.6,
      ...at('red', 'whole', 0.4),
      ...at('yellow', 'whole', 0.4),
      ...at('blue', 'whole', 0.4),
      ...at('green', 'whole', 0.3),
      ...at('orange', 'whole', 0.3),
      ...at('purple', 'whole', 0.4),
      ...at('pink', 'whole', 0.4),
    },
  ],
  ['colourless colorless desaturated muted drab', { colourfulness: -1, greyness: 0.6 }],
  ['pale pastel faint', { colourfulness: -0.5, brightness: 0.5, contrast: -0.7, 'dark share': -0.6 }],
  [
    'black-and-white black-&-white b&w bw monochrome monochromatic greyscale grayscale colourless-picture',
    { greyness: 1, colourfulness: -0.7 },
  ],
  ['warm warmth cosy cozy candlelight lamplight', { warmth: 1 }],
  ['cold cool chilly icy frosty', { warmth: -1, ...at('blue', 'whole', 0.4) }],
  ['sepia-toned vintage old-fashioned', { ...at('brown', 'whole', 0.8), colourfulness: -0.4, warmth: 0.4 }],
  [
    'stage spotlight concert theatre theater cinema',
    { 'dark share': 0.7, 'brightness.border': -0.7, ...at('red', 'whole', 0.4), ...at('pink', 'whole', 0.3) },
  ],
];

/**
 * Words for what has its own colour and place in an image. Each was measured to be found among unseen images
 * (`lab/bench/recall.ts`: precision at 10 of 0.3 and more). Others that only seem to have a colour (snow, a beach, a forest, a
 * sunset, fog) were found no better than by chance; they are reported as unknown words.
 */
const scenes: [string, Region, Record<string, number>][] = [
  ['sky skies heaven', 'top', { ...at('blue', 'top'), 'brightness.top': 0.6 }],
  [
    'cloud cloudy clouds overcast cloudy-sky overcast-sky cloudy-skies',
    'top',
    { ...at('white', 'top', 0.8), ...at('grey', 'top', 0.5), 'brightness.top': 0.6 },
  ],
  [
    'sea ocean lake water river pool swimming-pool',
    'bottom',
    { ...at('blue', 'bottom'), ...at('blue', 'whole', 0.6), 'edge.horizontal.bottom': 0.4 },
  ],
  ['grass lawn meadow field pasture grassy', 'bottom', { ...at('green', 'bottom'), ...at('green', 'whole', 0.6) }],
  [
    'leaves leaf foliage plants plant bush vegetation',
    'whole',
    { ...at('green', 'whole'), ...at('green', 'border', 0.4), busyness: 0.7 },
  ],
  ['background backdrop', 'border', {}],
  ['foreground subject object middle center centre', 'centre', {}],
  ['top above ceiling', 'top', {}],
  ['bottom below floor', 'bottom', {}],
];

const textures: [string, Record<string, number>][] = [
  ['plain simple empty minimal minimalist clean smooth uniform blank', { busyness: -1, 'busyness.border': -0.6 }],
  [
    'busy cluttered crowded detailed complex textured messy crowd intricate chaotic',
    { busyness: 1, 'busyness.border': 0.6 },
  ],
  ['blurry blurred out-of-focus soft unsharp bokeh fuzzy defocused', { sharpness: -1, busyness: -0.4 }],
  ['sharp crisp in-focus focused', { sharpness: 1 }],
  ['isolated cut-out studio product-shot', { 'busyness.border': -1, 'bright share': 0.6 }],
  [
    'vertical upright tall columns pillars bars fence vertical-lines vertical-stripes',
    { 'edge.vertical': 1, 'edge.horizontal': -0.5 },
  ],
  [
    'horizontal horizon level layers horizontal-lines horizontal-stripes',
    { 'edge.horizontal': 1, 'edge.vertical': -0.5 },
  ],
  ['stripes striped lines', { 'edge.vertical': 0.7, 'edge.horizontal': 0.4, contrast: 0.4, 'edge.unordered': -0.4 }],
  ['diagonal slanted oblique slope', { 'edge.rising': 1, 'edge.falling': 1 }],
  ['pattern patterned noise noisy grainy grain speckled static-noise', { 'edge.unordered': 1, busyness: 0.5 }],
];

const motions: [string, Record<string, number>][] = [
  ['fast quick rapid speeding racing hectic action running rushing hurried', { motion: 1, change: 0.7 }],
  ['moving motion movement dynamic active', { motion: 1, change: 0.4 }],
  ['slow slowly gentle', { motion: -0.5, change: -0.5 }],
  ['still static motionless stationary frozen calm steady unmoving tripod', { motion: -1, change: -1 }],
  ['flashing flicker flickering strobe strobing blinking', { change: 1 }],
  ['left leftwards leftward moving-left to-the-left pan-left', { left: 1, right: -0.5 }],
  ['right rightwards rightward moving-right to-the-right pan-right', { right: 1, left: -0.5 }],
  ['upwards upward rising-up moving-up ascending climbing', { up: 1, down: -0.5 }],
  ['downwards downward falling-down moving-down descending dropping', { down: 1, up: -0.5 }],
  ['panning pan tracking', { left: 0.6, right: 0.6, motion: 0.5 }],
  ['shaky shaking handheld wobbly', { motion: 1, change: 0.5 }],
];

/**
 * Words that name something whose look the dictionary knows. An encoder that knows the thing itself finds it better: of "swimming
 * pool", "sea" and "concert on a stage" 0.5 to 0.9 of the first ten hits are right by what they mean, 0.3 to 0.5 by their colours and light.
 */
const things = new Set(
  (
    'sea ocean lake water river pool swimming-pool grass lawn meadow field pasture leaves leaf foliage plants plant bush vegetation ' +
    'stage spotlight concert theatre theater cinema crowd columns pillars bars fence rainbow candlelight lamplight ' +
    'cherry coral peach apricot tangerine chestnut chocolate coffee caramel wooden lemon lime olive mint lavender plum rose salmon pearl ' +
    'floor ceiling running rushing racing climbing action'
  ).split(' '),
);

/** Function words without a visual meaning. They are neither understood nor unknown. */
export const connectives = new Set(
  (
    'a an the of in at with and by to from for is are be as some very quite rather mostly full lots lot much many more ' +
    'picture pictures photo photos photograph image images video videos clip clips footage scene scenes shot shots frame ' +
    'film movie moment showing shows show seen something colour color coloured colored tone tones looking that this there it ' +
    'or i my we our your near beside onto into during under over on against upon'
  ).split(' '),
);
/** After one of these words, "light" is a noun. */
export const lightNouns = new Set(['light', 'lights', 'lighting', 'lit']);
/** Between two colours these say: the first in front of the second. */
export const inFrontOf = new Set(['on', 'against', 'upon', 'onto']);
/** These say: the first above the second. */
export const above = new Set(['over', 'above']);
export const negations = new Set(['no', 'not', 'without', 'never', 'non']);

/** The vocabulary of the descriptors, by phrase in lower case with single spaces. */
export const dictionary: Map<string, Meaning> = build();

/** The longest phrase in words. */
export const longestPhrase = 3;

function build(): Map<string, Meaning> {
  const entries = new Map<string, Meaning>();
  const add = (words: string, meaning: Meaning) => {
    // A hyphen in the lists above stands between the words of a phrase.
    for (const word of words.split(' ')) {
      entries.set(word.replaceAll('-', ' '), things.has(word) ? { ...meaning, isThing: true } : meaning);
    }
  };
  for (const colour of colourNames) add(shades[colour], { weights: at(colour), colour });
  for (const [words, weights] of [...light, ...textures, ...motions]) add(words, { weights });
  for (const [words, region, weights] of scenes) add(words, { weights, region });
  return entries;
}
