import { readFile } from 'node:fs/promises';
import type { ColourName } from '../../descriptors/colour-names.ts';
import { dictionary } from '../../descriptors/dictionary.ts';
import { ModelError } from '../../model-error.ts';

/** A thing that a query names, by what the image tower can recognise. */
export type AskedThing = {
  /** As it is written, in lower case. */
  name: string;
  /** Kinds of objects each of which is such a thing. */
  objects: number[];
  /** Kinds of objects that such a thing is one of: a puppy is a dog. */
  within: number[];
  /** Classes that are such a thing. */
  classes: ReadonlySet<number>;
  /** Whether most of such things are among these, so that a lack of them says something. */
  isComplete: boolean;
  /** How many are asked for; null: not said. */
  count: number | null;
  colour: ColourName | null;
};

type Group = [objects: number[], within: number[], classes: number[], isComplete: number];
type Words = { groups: Group[]; words: Record<string, number> };

const numbers = new Map(
  [['one', 'single'], ['two', 'couple', 'pair'], ['three'], ['four'], ['five'], ['six'], ['seven'], ['eight']].flatMap(
    (words, i) => words.map((word) => [word, i + 1] as const),
  ),
);
/** Words between a number and what is counted: "a pair of black dogs". */
const between = /^(?:of|the|small|large|big|little|young|old|wild|happy)$/;
const irregular: Record<string, string> = {
  men: 'man',
  women: 'woman',
  children: 'child',
  geese: 'goose',
  mice: 'mouse',
  wolves: 'wolf',
  knives: 'knife',
  kids: 'child',
};
/** Words of a name, the longest first. */
const lengths = [3, 2, 1];
/** So many words before a name may say its number and colour. */
const reach = 3;

/** Reads which words name what is recognised. Throws `ModelError`. */
export async function loadThingWords(): Promise<(query: string) => AskedThing[]> {
  const file = new URL('../weights/thing-words.json', import.meta.url);
  try {
    return createThingReader(JSON.parse(await readFile(file, 'utf8')) as Words);
  } catch (error) {
    throw new ModelError('The file thing-words.json of the built-in embedder cannot be read.', { cause: error });
  }
}

/** Returns a function that finds the things that a query names, in order, with their numbers and colours. */
function createThingReader({ groups, words }: Words): (query: string) => AskedThing[] {
  const find = (name: string) => singulars(name).find((singular) => Object.hasOwn(words, singular));
  /** How many words the longest name has that begins there. */
  const nameLength = (tokens: string[], at: number) =>
    lengths.find((size) => at + size <= tokens.length && find(tokens.slice(at, at + size).join(' ')) !== undefined);
  return (query) => {
    const tokens = query.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
    const asked: AskedThing[] = [];
    let last = 0;
    for (let at = 0; at < tokens.length;) {
      const length = nameLength(tokens, at);
      // A word such as “orange” before another name is its colour.
      if (
        length === undefined ||
        (length === 1 && dictionary.get(tokens[at] as string)?.colour && nameLength(tokens, at + 1))
      ) {
        at += 1;
        continue;
      }
      const name = tokens.slice(at, at + length).join(' ');
      const [objects, within, classes, isComplete] = groups[words[find(name) as string] as number] as Group;
      const before = tokens.slice(Math.max(last, at - reach), at);
      asked.push({
        name,
        objects,
        within,
        classes: new Set(classes),
        isComplete: isComplete === 1,
        ...describe(before),
      });
      at += length;
      last = at;
    }
    return asked;
  };
}

/** The number and the colour that the words before a name say, from the last one on. */
function describe(before: string[]): Pick<AskedThing, 'count' | 'colour'> {
  let colour: ColourName | null = null;
  for (const word of before.toReversed()) {
    const shade = dictionary.get(word)?.colour;
    if (shade !== undefined) {
      colour ??= shade;
      continue;
    }
    const count = numbers.get(word) ?? (/^[1-9]$/.test(word) ? Number(word) : null);
    if (count !== null) return { count, colour };
    if (!between.test(word)) break;
  }
  return { count: null, colour };
}

/** What a name may be in the singular, itself first. */
function singulars(name: string): string[] {
  const [, first = '', last = ''] = /^(.* )?([^ ]+)$/.exec(name) ?? [];
  const forms = [
    last,
    irregular[last],
    last.replace(/ies$/, 'y'),
    last.replace(/(?:es|s)$/, ''),
    last.replace(/s$/, ''),
  ];
  return [...new Set(forms.filter((form): form is string => form !== undefined && form.length > 1))].map(
    (form) => `${first}${form}`,
  );
}
