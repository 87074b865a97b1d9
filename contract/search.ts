import { z } from 'zod';
import { condition, conditionFieldList } from './conditions.ts';
import { filterParameters } from './filters.ts';
import { itemStack, thumbnailSizes } from './media.ts';
import { flagParameter, identifier, integerParameter, mediaType, repeatableParameter } from './parameters.ts';
import { itemSource } from './sources.ts';
import { language, textBox, textSource, uncertain } from './texts.ts';

const spanFields = {
  start: z.number().min(0).describe('Start of the matching span, in seconds; 0 for an image.'),
  end: z.number().min(0).describe('End of the matching span, in seconds; 0 for an image.'),
};

const files = 'http://127.0.0.1:8080/files/01a1fbe4-6806-793e-a30f-22b8a44e4f80/01a1fbe4-6806-793e-a30f-22b8a44e4f85';
const signature = '?expires=1795284000&signature=Zm9yIGV4YW1wbGU';

const exampleExcerpt = [
  { text: 'The ', matched: false },
  { text: 'ferry', matched: true },
  { text: ' leaves at nine', matched: false },
];

export const exampleHit = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  filename: 'harbour.mp4',
  score: 0.93,
  start: 12.5,
  end: 17.04,
  url: `${files}/original${signature}`,
  thumbnail: `${files}/chunk-00002.webp${signature}`,
  type: 'video',
  chunk_id: '01a1fbe4-7002-7d3a-8f10-0d1c5b9e2a11',
  creator_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f90',
  category_id: null,
  source: null,
  thumbnails: [
    { width: 320, height: 180, url: `${files}/chunk-00002-320.webp${signature}` },
    { width: 480, height: 270, url: `${files}/chunk-00002.webp${signature}` },
  ],
  signals: {
    visual: 0.41,
    text: 3.2,
    terms: ['ferry'],
    excerpt: exampleExcerpt,
    matches: [
      {
        by: 'words',
        source: 'speech',
        start: 13.2,
        end: 15.7,
        language: 'en',
        box: null,
        uncertain: false,
        excerpt: exampleExcerpt,
      },
    ],
  },
  weak: false,
};

const excerpt = z.array(
  z.object({ text: z.string(), matched: z.boolean().describe('Whether this is a word that matched.') }),
);

const textMatch = z.object({
  by: z
    .enum(['words', 'meaning'])
    .describe('`words`: it holds words of the query; `meaning`: it means something like the query, in other words.'),
  source: textSource,
  start: z.number().min(0).nullable().describe('Seconds, 0 in an image; null where the text is about the whole item.'),
  end: z.number().min(0).nullable(),
  language: language.nullable(),
  box: textBox.nullable(),
  uncertain,
  excerpt: excerpt.describe('The passage in pieces.'),
});

export const searchHit = z
  .object({
    id: identifier.describe('The media item.'),
    filename: z.string(),
    score: z
      .number()
      .min(0)
      .max(1)
      .describe('Relevance; falls down the list. Of a highlight: the share of chunks that are less unusual.'),
    ...spanFields,
    url: z.url().describe('The media asset. Signed, expiring; seek to `start` in the player.'),
    thumbnail: z.url().describe('An image of the span. Signed, expiring.'),
    type: mediaType,
    chunk_id: identifier,
    creator_id: identifier.nullable(),
    category_id: identifier.nullable(),
    source: itemSource.nullable().describe('Where it is indexed in place; null: it was uploaded.'),
    thumbnails: thumbnailSizes,
    signals: z
      .object({
        visual: z.number().optional().describe('Similarity of the image to the query.'),
        text: z.number().optional().describe('Text relevance (BM25, higher is better).'),
        rerank: z.number().optional().describe('How well the hit fits the query by the rerank, 0..1.'),
        outlier: z.number().optional().describe('The raw outlier score of the method.'),
        terms: z.array(z.string()).optional().describe('The query words that matched.'),
        excerpt: excerpt.optional().describe('The passage of the first of the matches, in pieces.'),
        matches: z
          .array(textMatch)
          .max(3)
          .optional()
          .describe('The passages that matched, the best first: where and when each is said, shown or written.'),
      })
      .describe('What each part of the search gave for this hit.'),
    weak: z
      .boolean()
      .describe("True below the workspace's background similarity, unless its texts hold a good part of the query."),
    steps: z
      .array(
        z.object({
          ...spanFields,
          chunk_id: identifier,
          score: z.number().min(0).max(1).describe('How well it fits the description of this step.'),
        }),
      )
      .min(2)
      .max(3)
      .optional()
      .describe(
        'Of a query with `then`: the moments of its steps, in their order. The hit goes from the first to the last.',
      ),
    stack: itemStack
      .optional()
      .describe(
        'What its item stands together with, of which only the best moment is a hit; left out: it stands alone.',
      ),
    duplicates: z
      .array(z.object({ id: identifier, chunk_id: identifier, ...spanFields }))
      .optional()
      .describe('With `dedupe`: the hits that this one stands for.'),
  })
  .meta({ id: 'SearchHit', examples: [exampleHit] });
export type SearchHit = z.output<typeof searchHit>;

export const resultCount = integerParameter(1, 100).default(20).describe('How many hits to return, at most 100.');
export const dedupe = flagParameter.describe(
  'Drops near-duplicate chunks of the same event; what looks the same and says something else about the query is kept. Written `1` or `true`, `0` or `false`.',
);

/** Where a search by text looks: in what images show, and in texts of a source. */
const searchPlace = z.enum(['visual', ...textSource.options]);
export type SearchPlace = z.output<typeof searchPlace>;

const anyPlace = `(?:${searchPlace.options.join('|')})`;

/** Places in a query string with commas in between. */
const placeList = z
  .string()
  .regex(
    new RegExp(`^${anyPlace}(?:,${anyPlace}){0,${searchPlace.options.length - 1}}$`),
    `must be one or more of ${searchPlace.options.join(', ')}, with commas in between`,
  );

/** The places of a list that is valid. */
export const toSearchPlaces = (list: string): SearchPlace[] => list.split(',') as SearchPlace[];

/** What is looked for, in words. */
const description = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  // Characters as people count them, not UTF-16 units: an emoji is one.
  .refine((text) => Array.from(text).length <= 500, 'must have at most 500 characters');
const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

export const searchQuery = z.object({
  q: description.meta({
    description:
      'What to look for, in words, the first 32 of them. `"a phrase"` finds only what holds these words one after the other in a text, `-word`, `-"a phrase"` and `without …` exclude, and the last word may be the beginning of one. ' +
      'An expression joins descriptions: `"a dog" and "snow"` in one moment, `"a dog" or "a cat"`, `"a dog" then "a man" within 30 s`; `AND`, `OR` and `THEN` in capitals stand between words without quotation marks too.',
    maxLength: 500,
    examples: ['ferry in a blue harbour'],
  }),
  n: resultCount,
  dedupe,
  rerank: flagParameter
    .unwrap()
    .optional()
    .describe(
      'The value `1` (or `true`) turns on precision rerank by a vision model, `0` (or `false`) turns it off; `meta.reranked` says whether it was done, `meta.reranked_by` by which model. Left out, it is done where it costs next to nothing: by the stored views of the embedder, for words about what is shown.',
    ),
  and: repeatableParameter(description, 7).describe(
    'What the same moment has to show or say as well as `q`. May be given several times; an expression has at most eight descriptions.',
  ),
  or: repeatableParameter(description, 7).describe(
    'What a moment may show or say in place of `q`. May be given several times.',
  ),
  then: repeatableParameter(description, 2).describe(
    'What follows in the same item: hits go from the one to the other, and `steps` has each. Twice for three steps.',
  ),
  within: integerParameter(1, 3600)
    .optional()
    .describe('Seconds that may lie between the end of a step and the start of the next; 30 by default.'),
  without: repeatableParameter(description, 16).describe(
    'What hits must not show or say, as `-word`. May be given several times.',
  ),
  like: identifier
    .optional()
    .describe(
      'A chunk that hits (of an expression: of its first step) are to be like as well. Of the evidence its picture counts half, the words the rest; it is itself no hit.',
    ),
  media_id: identifier
    .optional()
    .describe('Only the chunks of this item. Their scores are those that they have among all.'),
  as_written: flagParameter.describe(
    'The value `1` (or `true`) searches for the words as they are written, “without” among them, without expressions, and takes no conditions out of them. Otherwise words with typing errors are corrected (`meta.corrections`), and those of other languages translated (`meta.translated`).',
  ),
  as_words: conditionFieldList.optional().meta({
    description:
      'Fields of `meta.conditions` that are none: their words are words of the description, as in “Paris Hilton”. With commas in between.',
    examples: ['place,taken_at'],
  }),
  time_zone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
    .default('UTC')
    .describe('Where it is asked, by which “yesterday” is a day of the calendar: the name of a time zone.'),
  in: placeList.optional().meta({
    description:
      'Where to look, with commas in between; everywhere by default. `visual`: in what images show; the others in texts of that source.',
    examples: ['speech,ocr'],
  }),
  ...filterParameters,
});

const exampleMeta = {
  query: 'ferry in a blue harbour',
  n: 20,
  took_ms: 12.4,
  embedder: 'builtin@4',
  reranked: false,
};

export const searchMeta = z
  .object({
    query: z.string().nullable().describe('Echoes the search text; null for an image search.'),
    n: z.int(),
    took_ms: z.number().min(0),
    embedder: z.string().describe('Identifier of the model that answered.'),
    reranked: z.boolean(),
    reranked_by: z
      .string()
      .optional()
      .describe(
        'The model that judged the hits again, where `reranked` is true: the embedder by its identifier, or a vision model by its name.',
      ),
    notice: z
      .string()
      .optional()
      .describe(
        'Sentences for people: what was asked for and was not possible, a word with a typing error that was searched for as another, a phrase that no text holds, a query that was cut after 32 words, or that every hit is weak.',
      ),
    corrections: z
      .array(z.object({ from: z.string(), to: z.string() }))
      .optional()
      .describe(
        'Words with typing errors, as they were written, and what was searched for instead. `as_written=1` searches for the words as they are written.',
      ),
    expression: z
      .object({
        steps: z
          .array(z.array(z.array(z.string())))
          .describe('The steps; of each its alternatives; of each what must be in one moment.'),
        within: z.int().optional().describe('Seconds between steps, where there are several.'),
      })
      .optional()
      .describe('How the query was understood, where it joins several descriptions.'),
    translated: z
      .array(z.object({ from: z.string(), to: z.string() }))
      .optional()
      .describe(
        'Words of a query in another language than English, as they were written, and the English ones that pictures were searched by; texts were searched by both. Words in quotation marks are not translated, and with `as_written=1` none is.',
      ),
    conditions: z
      .array(condition)
      .optional()
      .describe(
        'What of the sentence says which items are meant, not what they show: “videos from last summer by Ana”. A filter of the same field in the request wins. Where nothing else is asked for, hits are the beginnings of all items that pass, the latest first.',
      ),
    excluded: z
      .array(z.string())
      .optional()
      .describe(
        'What hits must not show or say, by `-word` or “without …”. Texts that say it are left out. Pictures are as far as the embedder can tell: those that clearly show it, and others count less the more they seem to.',
      ),
    suggested_query: z
      .string()
      .optional()
      .describe(
        'Where no text holds a quoted phrase and so nothing was found: the query without quotation marks, which finds more.',
      ),
    unknown_terms: z
      .array(z.string())
      .optional()
      .describe(
        'Words of the query that have no visual meaning to the embedder, in English or translated; they are searched as text only.',
      ),
  })
  .meta({ examples: [exampleMeta] });
export type SearchMeta = z.output<typeof searchMeta>;

export const imageSearchParameters = z.object({
  n: resultCount,
  dedupe,
  q: description
    .optional()
    .describe(
      'Words that hits have to fit as well, as in the search by words; the picture counts half of the evidence.',
    ),
  rerank: flagParameter.describe(
    'The value `1` (or `true`) compares moments and parts of the best hits as well; `meta.reranked` says whether it was possible.',
  ),
  ...filterParameters,
});

/** A parameter as a form field or a JSON member carries it: `20`, `"20"`, `true`, `1`. */
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const imageSearchMembers = {
  n: scalar.pipe(integerParameter(1, 100)).optional().describe('As the query parameter, and before it.'),
  dedupe: scalar.pipe(flagParameter.unwrap()).optional().describe('As the query parameter, and before it.'),
  rerank: scalar.pipe(flagParameter.unwrap()).optional().describe('As the query parameter, and before it.'),
  q: description.optional().describe('As the query parameter, and before it.'),
  ...filterParameters,
};

/** The text fields of an image search's multipart form; the part `file` carries the image. */
export const imageSearchFields = z.object(imageSearchMembers);

/** What precedes the base64 in a data URL. */
export const dataUrlPrefix = /^data:[^,]{0,1000};base64,/i;

/** Whether a text is base64 or base64url, also in lines or as a data URL. */
function isBase64(text: string): boolean {
  const letters = text
    .replace(dataUrlPrefix, '')
    .replaceAll(/\s+/g, '')
    .replace(/={1,2}$/, '');
  return letters !== '' && !/[^\w+/-]/.test(letters);
}

/** The JSON form of an image search: exactly one of `image`, `url`, `media_id`. */
export const imageSearchBody = z
  .object({
    image: z
      .string()
      .refine(isBase64, 'must be base64, or a data URL with base64')
      .optional()
      .describe('An image in base64, or a data URL, of at most 780 kB. Send a larger one in a form.'),
    url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .optional()
      .describe('URL of an image. Private IP addresses are refused unless the operator allows them.'),
    media_id: identifier.optional().describe('An item of this workspace; without `at` or `chunk_id` all of it.'),
    at: z.number().min(0).optional().describe('With `media_id` of a video: the second to look at.'),
    chunk_id: identifier.optional().describe('With `media_id`: the chunk to look at.'),
    ...imageSearchMembers,
  })
  .superRefine((body, context) => {
    const sources = (['image', 'url', 'media_id'] as const).filter((key) => body[key] !== undefined);
    const wrong = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] });
    if (sources.length === 0)
      wrong(
        'is missing: send a form with the image in its part `file`, or JSON with `image`, `url` or `media_id`',
        'image',
      );
    if (sources.length > 1) wrong('must be the only one of `image`, `url` and `media_id`', sources[1] ?? '');
    if (body.at !== undefined && body.chunk_id !== undefined) wrong('cannot go with `at`', 'chunk_id');
    for (const key of ['at', 'chunk_id'] as const) {
      if (body[key] !== undefined && body.media_id === undefined) wrong('needs `media_id`', key);
    }
  })
  .meta({ examples: [{ media_id: exampleHit.id, at: 14.2, n: 5 }] });
export type ImageSearchBody = z.output<typeof imageSearchBody>;

export const imageSearchMeta = searchMeta
  .extend({ source: z.enum(['file', 'image', 'url', 'media']).describe('Where the query image came from.') })
  .meta({ examples: [{ ...exampleMeta, query: null, source: 'media' }] });
