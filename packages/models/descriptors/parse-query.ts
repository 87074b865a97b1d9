import { norm, toUnit } from '@media-search/search-engine/vectors';
import {
  above,
  connectives,
  dictionary,
  inFrontOf,
  lightNouns,
  longestPhrase,
  type Meaning,
  negations,
} from './dictionary.ts';
import { colourFeature, featureNames, featureIndex, type Region } from './features.ts';

type Term = { meaning: Meaning; sign: 1 | -1; region?: Region };

/**
 * Reads a text query by the dictionary.
 * @returns a unit vector in the space of the images, or null when no word is known; the unknown words as written; and how many of the
 * words and phrases with a meaning of their own are known, 0..1
 */
export function parseQuery(query: string): { vector: Float32Array | null; unknown: string[]; knownShare: number } {
  const words =
    query
      .normalize('NFC')
      .match(/[\p{L}\p{M}\p{N}&']+/gu)
      ?.slice(0, 100) ?? [];
  const unknown: string[] = [];
  let [knownCount, unknownCount] = [0, 0];
  const terms: Term[] = [];
  let sign: 1 | -1 = 1;
  for (let i = 0; i < words.length;) {
    const word = (words[i] as string).toLowerCase();
    // In "warm light" it is a noun; alone, and in "light blue", it means bright.
    if (terms.length > 0 && lightNouns.has(word)) {
      i += 1;
      continue;
    }
    const found = longestMatch(words, i);
    if (found) {
      addTerm(terms, { meaning: found.meaning, sign });
      sign = 1;
      // The look is half of what a thing means.
      knownCount += found.meaning.isThing ? 0.5 : 1;
      if (found.meaning.isThing) unknownCount += 0.5;
      i += found.length;
      continue;
    }
    if (negations.has(word)) sign = -1;
    else if (inFrontOf.has(word)) place(terms, 'centre', isColourAhead(words, i + 1) ? 'border' : undefined);
    else if (above.has(word)) place(terms, 'top', isColourAhead(words, i + 1) ? 'bottom' : undefined);
    else if (!connectives.has(word)) {
      unknownCount += 1;
      if (!unknown.includes(words[i] as string)) unknown.push(words[i] as string);
    }
    i += 1;
  }
  const knownShare = knownCount / Math.max(1, knownCount + unknownCount);
  return { vector: terms.length > 0 ? combine(terms) : null, unknown, knownShare };
}

/** Set by `place` for the next colour. */
const pending = new WeakMap<Term[], Region>();

/** In "red on white" the colour just read is in the middle and the one to come around it. */
function place(terms: Term[], region: Region, next: Region | undefined): void {
  const last = terms.at(-1);
  if (!last?.meaning.colour || !next) return;
  last.region = region;
  pending.set(terms, next);
}

const isColourAhead = (words: string[], from: number): boolean =>
  words.slice(from, from + 3).some((_, i) => longestMatch(words, from + i)?.meaning.colour !== undefined);

function addTerm(terms: Term[], term: Term): void {
  const region = pending.get(terms);
  if (region && term.meaning.colour) {
    term.region = region;
    pending.delete(terms);
  }
  const last = terms.at(-1);
  // "blue sky": the colour applies to the region of the object and replaces its usual colour.
  if (last?.meaning.colour && last.region === undefined && term.meaning.region) {
    last.region = term.meaning.region;
    const others = Object.entries(term.meaning.weights).filter(([name]) => !isColour(name));
    if (others.length === 0) return;
    terms.push({ ...term, meaning: { weights: Object.fromEntries(others) } });
    return;
  }
  // "dark border", "bright sky": the region is dark or bright, which replaces its usual colours.
  const light = last?.meaning.weights['brightness'];
  if (last && light && term.meaning.region && term.meaning.region !== 'whole') {
    last.meaning = { weights: { [`brightness.${term.meaning.region}`]: Math.sign(light) } };
    return;
  }
  if (Object.keys(term.meaning.weights).length > 0) terms.push(term);
}

const isColour = (feature: string): boolean => featureIndex(feature) < featureIndex('brightness');

/** The longest phrase of the dictionary that begins here; a plural or a spelling with a hyphen is found by its base. */
function longestMatch(words: string[], from: number): { meaning: Meaning; length: number } | undefined {
  for (let length = Math.min(longestPhrase, words.length - from); length > 0; length--) {
    const phrase = words
      .slice(from, from + length)
      .join(' ')
      .toLowerCase();
    const meaning =
      dictionary.get(phrase) ??
      dictionary.get(phrase.replace(/(?:'s|s)$/, '')) ??
      dictionary.get(phrase.replace(/ish$/, ''));
    if (meaning) return { meaning, length };
  }
  return undefined;
}

/** The regions where a colour should not be when it is searched for in another region. */
const opposite: Partial<Record<Region, Region>> = { centre: 'border', border: 'centre', top: 'bottom', bottom: 'top' };

/** Adds up the terms with equal weight, so that all of them have to be there. */
function combine(terms: Term[]): Float32Array {
  const sum = new Float32Array(featureNames.length);
  for (const { meaning, sign, region } of terms) {
    const weights: Record<string, number> =
      meaning.colour && region
        ? {
            [colourFeature(meaning.colour, region)]: 1,
            [colourFeature(meaning.colour, 'whole')]: 0.3,
            ...(opposite[region] ? { [colourFeature(meaning.colour, opposite[region])]: -0.3 } : {}),
          }
        : meaning.weights;
    const length = norm(Object.values(weights));
    for (const [name, weight] of Object.entries(weights)) {
      const at = featureIndex(name);
      sum[at] = (sum[at] as number) + (sign * weight) / length;
    }
  }
  // Terms that cancel each other ("bright dark") leave nothing to search for.
  return norm(sum) < 1e-6 ? sum.fill(1 / Math.sqrt(sum.length)) : toUnit(sum);
}
