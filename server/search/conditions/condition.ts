import type { ConditionField } from '../../../contract/conditions.ts';
import type { ItemFilterName } from '../../../contract/fields.ts';

/** What a condition asks for: filters by their parameters, or the words that are said (`in=speech`) or shown (`in=ocr`). */
export type ConditionParameters = Partial<Record<ItemFilterName, string | number>> & {
  in?: 'speech' | 'ocr';
  words?: string;
};

/** A part of a sentence that says which items are meant, not what they show. */
export type Condition = {
  /** The words of the sentence, at `start` and up to before `end`, in UTF-16 units. */
  text: string;
  start: number;
  end: number;
  field: ConditionField;
  parameters: ConditionParameters;
  /** Whether it can only be meant so. Otherwise its words stay in the description, and it is a preference. */
  certain: boolean;
};

/** Something in a workspace that has a name. Places and cameras are their names. */
export type KnownName = {
  field: 'creator_id' | 'category_id' | 'collection_ids' | 'tag_ids' | 'camera' | 'place';
  /** The identifier of a label, or the text itself. */
  value: string;
  name: string;
};

/** A condition that a reader found, with the words around it that only introduce it (`from`, `tagged`, `longer than`). */
export type Found = Omit<Condition, 'text'>;

/**
 * The sentence while conditions are taken out of it: what is taken is overwritten by `taken`, what must not be read as a condition by `kept`, so that places stay
 * the same and readers see what stands beside them.
 */
export type Reading = {
  text: string;
  found: Found[];
};

export const taken = '\u0001';
export const kept = '\u0002';

const overwrite = (text: string, start: number, end: number, mark: string): string =>
  text.slice(0, start) + mark.repeat(end - start) + text.slice(end);

/** Hides a part of the sentence from the readers that follow. */
export function keep(reading: Reading, start: number, end: number): void {
  reading.text = overwrite(reading.text, start, end, kept);
}

/** What turns a condition round: nothing is said then of what is wanted. */
const negation =
  /(?:\b(?:not?|non|never|without|except(?:\s+for)?|excluding|other\s+than|(?:anything|everything)\s+but|apart\s+from|aside\s+from|instead\s+of|rather\s+than|outside\s+of)|n['’]t)[\s-]+(?:(?:the|any|all|from|in|by|of|an?|only|just|yet|necessarily|have|has|need|want|to|be|been|taken|shot|filmed|recorded|made|tagged)\s+){0,3}$/iu;

/** What makes a wish of a condition, or a guess: `ideally from last year`, `in Paris, I think`. */
const hedgeBefore =
  /\b(?:ideally|preferably|maybe|perhaps|probably|possibly|presumably|hopefully|if\s+possible|(?:i|we)\s+(?:think|guess|believe|suppose)|not\s+sure(?:\s+(?:if|whether))?|(?:could|might|may)(?:\s+well)?\s+(?:be|have\s+been)|prefer(?:red)?|best\s+if|something\s+like)[,:]?\s+(?:(?:it|they|this|that)(?:['’]s|['’]re|\s+(?:was|were|is|are))?\s+)?(?:(?:an?|the|in|something|ones?|back)\s+)?$/iu;
const hedgeBehind =
  /^,?\s*\(?(?:ideally|preferably|maybe|perhaps|probably|possibly|if\s+possible|if\s+available|i\s+(?:think|guess|believe|suppose)|or\s+so|or\s+thereabouts|preferred|if\s+(?:you|we)\s+have\s+(?:it|any|one|some|them)|if\s+there\s+(?:is|are)(?:\s+(?:one|any))?|(?:would|is|are|might)\s+(?:be\s+)?(?:nice|great|good|best|better|ideal|perfect|lovely|fine|ok(?:ay)?)(?:\s+too)?)\)?(?=\s*(?:$|[,;.!?]))/iu;

/** Whether a text before a place turns round what stands there. */
export const isNegated = (before: string): boolean => negation.test(before);

/** Adds what was found, and takes its words unless they may be a description as well. What is negated is neither. */
export function add(reading: Reading, found: Found): void {
  if (isNegated(reading.text.slice(0, found.start))) return;
  const isHedged =
    hedgeBefore.test(reading.text.slice(0, found.start)) || hedgeBehind.test(reading.text.slice(found.end));
  const certain = found.certain && !isHedged;
  reading.found.push({ ...found, certain });
  if (certain) reading.text = overwrite(reading.text, found.start, found.end, taken);
}

/** Nouns for videos and for photos, with what people often write instead. */
export const videoNoun =
  '(?:video|film|movie|mp4|mov) ?(?:clips?|files?|footage|recordings?|material)|videos?|vids?|vidoes?|vidios?|vedios?|viedos?|clips?|footages?|films?|movies?|recordings?|mp4s?';
export const photoNoun =
  '(?:photo|image|picture|jpe?g) files?|still (?:images?|photos?|pictures?|photographs?)|photos?|photographs?|photgraphs?|fotos?|pictures?|pitcures?|pictrues?|pics?|pix|images?|imgs?|snapshots?|stills|jpe?gs?';
export const mediaNoun = `${videoNoun}|${photoNoun}`;

/** Whether a text before a place ends with a noun for videos or photos, or with a condition that was taken. */
export const followsMedia = (before: string): boolean =>
  new RegExp(
    String.raw`(?:(?:^|[\s,${taken}])(?:${mediaNoun}|(?:everything|anything|something|whatever|what|all|stuff|things|material|content|shots)(?: (?:that )?(?:we|i|you|they)(?:['’]ve)?(?: have| own)?(?: got| shot| filmed| took| made)?)?)|${taken})[\s,]*$`,
    'iu',
  ).test(before);

/** Whether a text after a place begins with a noun for videos or photos. */
export const precedesMedia = (after: string): boolean =>
  new RegExp(String.raw`^\s+(?:${mediaNoun})\b`, 'iu').test(after);

/** A regular expression of a pattern, case ignored. Between the words of a sentence that is read is one space: see `parseConditions`. */
export const pattern = (source: string, flags = 'giu'): RegExp => new RegExp(source, flags);
