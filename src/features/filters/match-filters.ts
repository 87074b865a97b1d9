import { parseCircle } from '../../../contract/positions.ts';
import type { FieldFilters } from '../../lib/filter-url.ts';
import { type Offer, offersOf, type Sources, typedDates } from './offers.ts';

/** What answers what is typed: fields, whose values are chosen next, and values. */
export type Matches = { fields: FieldFilters[]; values: Offer[] };

/** Most values that are listed of one field while several are. */
const maxOfField = 6;
const maxLabelsUnasked = 3;

/** Without case and accents: `Zoë` is found by `zoe`. */
const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

const wordsOf = (folded: string): string[] => folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

/**
 * How well a text answers what is typed; the lower the better, undefined if not at all. Each typed word has to begin a word, or from three letters
 * on to be within one.
 * @param also what counts less, such as the name of the field
 */
function rank(typed: string, text: string, also: string): number | undefined {
  if (text === typed) return 0;
  if (text.startsWith(typed)) return 1;
  const typedWords = wordsOf(typed);
  const begins = (words: readonly string[], word: string) => words.some((other) => other.startsWith(word));
  const own = wordsOf(text);
  if (typedWords.length === 0) return undefined;
  if (typedWords.every((word) => begins(own, word))) return 2;
  const all = [...own, ...wordsOf(also)];
  if (typedWords.every((word) => begins(all, word))) return 3;
  const within = (word: string) => begins(all, word) || (word.length > 2 && all.some((other) => other.includes(word)));
  return typedWords.every(within) ? 4 : undefined;
}

/** Fields and values that answer what is typed, the best first. Without anything typed: all fields, and the values of those that have few. */
export function matchFilters(typed: string, fields: readonly FieldFilters[], sources: Sources): Matches {
  const text = fold(typed);
  if (text === '') return { fields: [...fields], values: unasked(fields, sources) };
  const ranked = fields.flatMap((of) =>
    offersOf(of, sources)
      .flatMap((offer) => {
        const how = rank(text, fold(offer.text), fold(`${of.label} ${offer.also ?? ''}`));
        return how === undefined ? [] : [{ offer, how }];
      })
      .toSorted((a, b) => a.how - b.how)
      .slice(0, maxOfField),
  );
  return {
    fields: fields.filter(({ label }) => rank(text, fold(label), '') !== undefined),
    values: [
      ...ranked.toSorted((a, b) => a.how - b.how).map(({ offer }) => offer),
      ...fields.flatMap((of) => typedOffers(of, typed.trim(), sources)),
    ],
  };
}

/** The values that are offered before anything is typed: all of fields with few, and the labels that most items have. */
const unasked = (fields: readonly FieldFilters[], sources: Sources): Offer[] =>
  fields.flatMap((of) => {
    if (of.field.kind === 'choice') return offersOf(of, sources);
    if (of.field.kind !== 'label') return [];
    return offersOf(of, sources)
      .toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0))
      .slice(0, maxLabelsUnasked);
  });

/** What is typed as a value of its own. */
function typedOffers(of: FieldFilters, typed: string, { years }: Sources): Offer[] {
  if (of.field.kind === 'time') return typedDates(of, typed, years);
  const [filter] = of.filters;
  if (of.field.kind === 'position') return typedAreas(of, typed);
  if (of.field.kind !== 'text' || filter?.operator !== 'contains') return [];
  return [{ of, text: `contains “${typed}”`, changes: { [filter.url]: typed } }];
}

/** How far around a position that is typed alone, kilometres. */
const usualKm = 10;

/** A position that is typed, with or without kilometres: `53.55, 9.99`. */
function typedAreas(of: FieldFilters, typed: string): Offer[] {
  const near = of.filters.find(({ operator }) => operator === 'near')?.url ?? '';
  const circle = parseCircle(typed) ?? parseCircle(`${typed},${usualKm}`);
  if (!circle) return [];
  const { latitude, longitude, km } = circle;
  return [
    {
      of,
      text: `within ${km} km of ${latitude}, ${longitude}`,
      changes: { [near]: `${latitude},${longitude},${km}` },
    },
  ];
}
