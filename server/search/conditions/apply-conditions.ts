import type { ConditionField } from '../../../contract/conditions.ts';
import { fields, type ItemFilterName } from '../../../contract/fields.ts';
import type { MediaFilter } from '../../../contract/filters.ts';
import type { SearchPlace } from '../../../contract/search.ts';
import type { Condition, KnownName } from './condition.ts';
import { describe, parseConditions } from './parse-conditions.ts';

/** A query without its conditions, and what is made of them. */
export type ConditionedQuery = {
  /** What is searched for: the description, or what is to be said or shown in letters. */
  words: string;
  /** What is seen in the hits, where `words` are only looked for in texts. */
  pictured?: string;
  places: SearchPlace[] | undefined;
  filter: MediaFilter;
  /** Filters that hits need not pass: those that do come first among equals. */
  preferred: MediaFilter[];
  /** The conditions that count, by their places. */
  conditions: Condition[];
};

/** What a request says beside its sentence. */
type Given = {
  filter: MediaFilter;
  places: SearchPlace[] | undefined;
  /** Fields whose words are words of the description. */
  asWords: readonly ConditionField[];
  names: readonly KnownName[];
  now: Date;
  /** IANA name. */
  zone: string;
};

/** The parameters that a field is filtered by; what is said and shown is no field of an item. */
const parametersOf = (field: ConditionField): ItemFilterName[] =>
  field === 'said' || field === 'shown' ? [] : (Object.keys(fields[field].filters) as ItemFilterName[]);

const isOfTexts = ({ field }: Condition): boolean => field === 'said' || field === 'shown';

/** Where it is that somebody says something, or that it is shown: subtitles are what is said, too. */
const placesOf: Record<'speech' | 'ocr', SearchPlace[]> = { speech: ['speech', 'subtitle'], ocr: ['ocr'] };

/** What a condition asks of items, without what it asks of texts. */
const toFilter = ({ parameters: { in: _in, words: _words, ...filter } }: Condition): MediaFilter =>
  filter as MediaFilter;

/**
 * Reads the names that a sentence may mean, and applies its conditions.
 * @param given.asWritten whether all of its words are the description
 */
export async function readConditions(
  knownNames: (workspaceId: string, sentence: string) => Promise<KnownName[]>,
  workspaceId: string,
  sentence: string,
  { asWritten, ...given }: Omit<Given, 'names'> & { asWritten: boolean },
): Promise<ConditionedQuery> {
  const { filter, places } = given;
  if (asWritten) return { words: sentence, places, filter, preferred: [], conditions: [] };
  return applyConditions(sentence, { ...given, names: await knownNames(workspaceId, sentence) });
}

/**
 * Takes the conditions of a sentence for filters and preferences. A filter that the request names wins over the condition of its field: the words of that are then neither
 * searched for nor compared, unless they may be a description and mean something else. What is said or shown is searched for in the places that the request names.
 */
export function applyConditions(sentence: string, given: Given): ConditionedQuery {
  const { filter, places, asWords } = given;
  const taken: Condition[] = [];
  const counting: Condition[] = [];
  /** What is said or shown, where the request says in which places it is looked for. */
  const spoken: string[] = [];
  for (const condition of parseConditions(sentence, given)) {
    const { field, parameters, certain } = condition;
    if (asWords.includes(field)) continue;
    if (isOfTexts(condition) && places !== undefined) {
      if (!certain) continue;
      taken.push(condition);
      spoken.push(parameters.words ?? '');
      continue;
    }
    const isGiven = parametersOf(field).some((name) => filter[name] !== undefined);
    const isSame = isGiven && parametersOf(field).every((name) => filter[name] === parameters[name]);
    if (isGiven && (certain || isSame)) taken.push({ ...condition, certain: true });
    else if (!isGiven) counting.push(condition);
  }
  const certain = counting.filter((each) => each.certain);
  const description = describe(sentence, [...taken, ...certain]);
  const inTexts = certain.find(isOfTexts);
  const common = {
    // A condition stands only where the request names none of the filters of its field.
    filter: Object.assign({}, filter, ...certain.map(toFilter)) as MediaFilter,
    preferred: counting.filter((each) => !each.certain).map(toFilter),
    conditions: counting,
  };
  const { in: source, words } = inTexts?.parameters ?? {};
  if (source === undefined || words === undefined) {
    return { ...common, words: [...spoken, description].filter((each) => each !== '').join(' '), places };
  }
  return { ...common, words, places: placesOf[source], ...(description === '' ? {} : { pictured: description }) };
}
