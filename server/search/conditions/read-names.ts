import { add, followsMedia, type KnownName, mediaNoun, pattern, type Reading, taken } from './condition.ts';
import { findMentions, type Mention } from './find-names.ts';

/** A word in front of a name, or behind it, that says what it is the name of. */
type Cue = {
  before?: RegExp;
  after?: RegExp;
  holds?: (mention: Mention, beside: Beside, others: readonly Mention[]) => boolean;
};
type Beside = { before: string; after: string };

const front = (source: string) => pattern(`(?:^|(?<=[^\\p{L}]))(?:${source}) ?["“']?$`, 'iu');
const back = (source: string) => pattern(`^["”']?(?:${source})`, 'iu');

const verbs = 'shot|filmed|taken|recorded|made|captured|uploaded|produced|created|directed|photographed|edited';
/** Between what something is and its name: `tag: drone`, `the tag is drone`. */
const is = String.raw`(?: ?[:=]| is| are| was| (?:should|must|has to) be)?`;
const whose = String.raw`(?:(?:that|which) )?(?:was |were |is |are )?`;

/** A name goes on behind its end, as Paris does in `Paris Hilton`, and is another one then. */
const goesOn = (after: string): boolean =>
  /^[\s-]+\p{Lu}/u.test(after) && !new RegExp(String.raw`^\s+(?:I|${mediaNoun})\b`, 'iu').test(after);

/** What somebody made, where it is not called videos or photos. */
const output = 'stuff|material|content|uploads?|shots|rushes';
const beforeMore = String.raw`(?= ?(?:$|[,;.:?!${taken}]|(?:from|of|in|at|since|before|after|by|on|with|that|which)\b))`;

/** Whether nothing but signs and other conditions is beside it, in a sentence that says more: `fog, Lake Tahoe`. */
const isListed = ({ before, after }: Beside): boolean =>
  before.trim() + after.trim() !== '' &&
  new RegExp(String.raw`(?:^|[,;.:(|${taken}]|\s[-–—])\s*$`, 'u').test(before) &&
  new RegExp(String.raw`^(?:\s+only)?(?:\s*(?:$|[,;.:?!)|${taken}])|\s[-–—]\s)`, 'iu').test(after);

/** Whether a condition is next to it, with no more than signs between. */
const isBesideTaken = ({ before, after }: Beside): boolean =>
  new RegExp(String.raw`${taken}\s*[,;]?\s*$`, 'u').test(before) ||
  new RegExp(String.raw`^\s*[,;]?\s*${taken}`, 'u').test(after);

/** Places that are words or first names as well. */
const wordPlaces = new Set(
  'bath chad china cork eden florence georgia hope jersey jordan male mobile nice orange paradise reading rugby sale sandwich split sydney turkey victoria'.split(
    ' ',
  ),
);

/** Names of firms, which cannot be seen as a person can. */
const firm =
  /\b(?:films?|studios?|productions?|media|pictures|agency|photography|press|tv|collective|gmbh|inc|ltd|llc)\b/iu;

/** Tags that say what has been done with an item, or has to be: nobody sees them. */
const state =
  /^(?:(?:un|pre|not )?(?:approved|rejected|reviewed|published|archived|licensed|cleared|verified|edited|selected|flagged|released)|favou?rites?|to (?:check|review|do|edit|sort|approve))$/iu;

const cues: Record<KnownName['field'], readonly Cue[]> = {
  creator_id: [
    {
      before: front(
        `${whose}(?:${verbs}|done|provided|delivered) by|(?:the )?(?:creator|author|photographer|videographer|filmmaker)(?: name)?${is}|(?:work|works) (?:of|by)|courtesy of|credits?:|©`,
      ),
    },
    {
      before: front('by'),
      holds: ({ isWhole }, { before, after }) => isWhole || !goesOn(after) || followsMedia(before),
    },
    // Whole, and of a person or a firm: there is nothing to mistake it for.
    {
      before: front('from'),
      holds: ({ isWhole, isCapital, name, start, end }, { before, after }, others) =>
        // `videos from Luis`, not `photos from Paris` nor `clips from May`.
        (!isWhole &&
          end - start < name.length - 1 &&
          name.split(' ').length === 2 &&
          !words.has(name.slice(0, end - start).toLowerCase()) &&
          (isCapital && followsMedia(before)
            ? !goesOn(after)
            : before.trim() === '' && /^\s*(?:$|[,;:])/u.test(after)) &&
          others.every(({ field }) => field === 'creator_id')) ||
        (isWhole &&
          (name.includes(' ') ||
            before.trim() === '' ||
            followsMedia(before) ||
            /\b(?:videos?|photos?|clips?|footage|pictures?|images?|material|work|works)\b/iu.test(before))),
    },
    {
      before: front('in|from|of|among'),
      after: back(String.raw`['’]s? (?=(?:\S+ ){0,2}(?:${mediaNoun}|work|works|shots|material)\b)`),
    },
    { after: back(String.raw`['’]s? (?=(?:\S+ ){0,2}(?:${mediaNoun}|work|works|shots|material)\b)`) },
    {
      before: front('did|has|have|that'),
      after: back(String.raw` (?:film|shoot|record|make|take|${verbs})(?=\s|$|\?)`),
    },
    {
      before: front('what|whatever|everything|all|anything|something|things|ones|stuff|material|that|which'),
      after: back(
        String.raw` (?:ever |has |had |have )?(?:took|did|shot|filmed|recorded|made|captured|produced|created|photographed|delivered|submitted|supplied|sent(?: us| in)?|handed in|brought(?: us| back)?|posted|provided|contributed|uploaded|gave us|shared)(?=\s|$|\?)`,
      ),
    },
    {
      after: back(String.raw` (?:ever |has |had |have )?(?:took|${verbs})(?=\s|$)`),
      holds: (_, { before }) => followsMedia(before.replace(/(?:that|which)\s+$/iu, '')),
    },
    { after: back(String.raw` (?=(?:${mediaNoun})\b)`), holds: ({ isWhole }) => isWhole },
    { after: back(String.raw`(?:['’]s?)? (?:${output})${beforeMore}`), holds: ({ isWhole }) => isWhole },
    {
      after: back(
        String.raw` (?:has |had )?(?:took|made|shot|filmed|recorded|captured) (?=(?:one|something|this|these|those)(?: ?(?:$|[,;.:?!${taken}])| (?:with|of|in|at|from|where)\b))`,
      ),
    },
    { holds: ({ isWhole, name }, beside) => isWhole && firm.test(name) && isListed(beside) },
  ],
  collection_ids: [
    {
      before: front(
        String.raw`(?:(?:in|from|of|within|inside) )?(?:(?:the|my|our) )?(?:collection|album|folder|project|set|playlist|gallery)(?: (?:called|named|titled))?${is}`,
      ),
    },
    {
      before: front('(?:in|from|of|within|inside) (?:the|my|our)'),
      after: back(String.raw` (?:collection|album|folder|project|set|playlist|gallery)\b`),
    },
    { before: front('the|my|our'), after: back(String.raw` (?:collection|album|folder|project|playlist)\b`) },
    { after: back(String.raw` (?:collection|album|folder|project|playlist)\b`) },
    {
      before: front('(?:in|from|inside|within)'),
      holds: ({ isCapital, name }, { after }) =>
        isCapital && /^\p{Lu}/u.test(name) && !goesOn(after) && !/\d$/u.test(name),
    },
  ],
  tag_ids: [
    {
      before: front(
        String.raw`(?:(?:that|which) (?:are|is|were|have|has) )?(?:tagged(?: as| with)?|labell?ed(?: as| with)?|marked(?: as| with)?|flagged(?: as| with)?|(?:(?:with|has|have|having|carrying) )?(?:the )?(?:tags?|keywords?)${is}|#|with (?:the )?label)`,
      ),
    },
    { before: front('(?:with|having) (?:the|a|an)?'), after: back(String.raw` tag\b`) },
    { after: back(String.raw` tags?\b|-tagged\b`) },
    {
      after: back(String.raw` (?=(?:${mediaNoun}|${output}|ones?)\b)`),
      holds: ({ isWhole, name }) => isWhole && state.test(name),
    },
    {
      before: front(String.raw`(?:(?:that|which) )?(?:(?:is|are|was|were|has been|have been|only|already|still) )+`),
      holds: ({ isWhole, name }, { before, after }) =>
        isWhole && state.test(name) && isListed({ before: `${before},`, after }),
    },
    { holds: ({ isWhole, name }, beside) => isWhole && state.test(name) && isListed(beside) },
  ],
  category_id: [
    {
      before: front(
        String.raw`(?:(?:in|from|of|under) )?(?:(?:the) )?category${is}|filed (?:under|in)|categori[sz]ed (?:as|under)|classified (?:as|under)|(?:that|which) (?:are|is) (?:in|under)`,
      ),
    },
    { before: front('(?:in|from|of|under|within) (?:the|our)?'), after: back(String.raw` (?:category|section)\b`) },
    { after: back(String.raw` category\b`) },
    { before: front('under') },
  ],
  camera: [
    {
      before: front(
        String.raw`${whose}(?:${verbs}) (?:on|with|by|using|from|through)(?: (?:an?|the|my|our|his|her|their))?`,
      ),
    },
    {
      before: front(String.raw`(?:the )?(?:camera(?: model)?|device)${is}(?: an?| the| my)?|using (?:an?|the|my|our)`),
    },
    { after: back(String.raw` camera\b(?=\s*(?:$|[,;.:]))`) },
    { after: back(String.raw` (?=(?:${mediaNoun}|shots)\b)`) },
    {
      before: front('(?:from|on|with|off) (?:the|my|our)'),
      holds: ({ isWhole }, { after }) => isWhole && new RegExp(String.raw`^\s*(?:$|[,;.:${taken}])`, 'u').test(after),
    },
    {
      before: front(String.raw`(?:from|by|on|with|off)(?: (?:an?|the|my|our))?`),
      holds: (_, { before, after }) =>
        (before.trim() === '' || new RegExp(`\\b(?:${verbs})\\b`, 'iu').test(before) || followsMedia(before)) &&
        // Who is taking a picture with a telephone is shown.
        !/\b(?:tak|shoot|film|record|mak|hold|play|watch)(?:ing|es|e|s)?\b[^,;]*$/iu.test(before) &&
        !/^\s+(?:on|in|around|mounted|attached)\s/iu.test(after),
    },
    // A telephone may be shown, but its model is hardly said then.
    { holds: ({ isWhole }, beside) => isListed(beside) && (isWhole || isBesideTaken(beside)) },
  ],
  place: [
    {
      before: front(String.raw`${whose}(?:${verbs}) (?:in|at|on|near|around|over|from)`),
      holds: (_, { after }) => !goesOn(after),
    },
    {
      before: front(
        String.raw`(?<!(?:interested|believe|believes|born|made|based|lost|called|named) )(?:in|at|on|near|over|around|across|through)`,
      ),
      holds: (_, { after }) => !goesOn(after),
    },
    { before: front(String.raw`(?:the )?(?:place|location)${is}|(?:city|town|country)(?: ?[:=]| is| was)`) },
    {
      before: front('from'),
      holds: (_, { before, after }, others) =>
        !goesOn(after) &&
        !others.some(({ field }) => field === 'creator_id') &&
        (before.trim() === '' || followsMedia(before)) &&
        !/^\s+to\s/iu.test(after),
    },
    { holds: ({ name }, beside) => isListed(beside) && !wordPlaces.has(name.toLowerCase()) },
  ],
};

/** More names of the same kind behind one: `by Anna or Ben`. */
const another = pattern('^ (?:or|and\\/or) ', 'iu');
/** What somebody and somebody else made is by one of them; what has two tags has each of them. */
const anotherOne = pattern('^ (?:or|and\\/or|and|&) ', 'iu');

/** Takes out names that a word beside them says the meaning of: `by Anna`, `in the collection Interviews`, `shot on a GoPro`. */
export function readNames(reading: Reading, names: readonly KnownName[], fields: readonly KnownName['field'][]): void {
  const { text } = reading;
  const mentions = findMentions(
    text,
    names.filter(({ field }) => fields.includes(field)),
  );
  const all = findMentions(text, names);
  for (const mention of mentions) {
    const { field, start, end } = mention;
    if (reading.text.slice(start, end) !== text.slice(start, end)) continue;
    // What a longer name is a part of is not meant: Studio Paris is no place.
    if (
      all.some(
        (other) => other.start <= start && end <= other.end && other.end - other.start > end - start && other.isWhole,
      )
    )
      continue;
    const beside = { before: reading.text.slice(0, start), after: reading.text.slice(end) };
    for (const cue of cues[field]) {
      const [before, after] = [cue.before?.exec(beside.before), cue.after?.exec(beside.after)];
      if ((cue.before && !before) || (cue.after && !after)) continue;
      const around = { before: beside.before.slice(0, before?.index), after: beside.after };
      if (
        cue.holds?.(
          mention,
          around,
          all.filter((other) => other.start === start && other.end === end),
        ) === false
      )
        continue;
      const from = start - (before?.[0].length ?? 0);
      const rest = beside.after.slice(after?.[0].length ?? 0);
      const next = (field === 'tag_ids' || field === 'collection_ids' ? another : anotherOne).exec(rest);
      const isOneOf =
        next !== null &&
        mentions.some(
          (other) => other.field === field && other.start === end + (after?.[0].length ?? 0) + next[0].length,
        );
      const certain = !isOneOf;
      const closed =
        after?.[0] ?? (/["“']$/u.test(beside.before) ? /^["”']/u.exec(beside.after)?.[0] : undefined) ?? '';
      add(reading, {
        start: certain ? from : start,
        end: certain ? end + closed.length : end,
        field,
        parameters: parametersOf(mention),
        certain,
      });
      break;
    }
  }
}

const parameterOf = {
  creator_id: 'creator_id',
  category_id: 'category_id',
  collection_ids: 'collection_id',
  tag_ids: 'tag_id',
  camera: 'camera',
  place: 'place',
} as const;

const parametersOf = ({ field, value }: KnownName) => ({ [parameterOf[field]]: value });

/** First names and words of firms that are words as well. */
const words = new Set(
  'art august april bill chase dawn drew faith films film grace guy hope hunter jack joy june mark may media pat ray rob rose studio studios sue summer will'.split(
    ' ',
  ),
);

/** Finds names that may as well be what is shown: `Paris Hilton`, `red car`. They are preferred, and their words stay. */
export function preferNames(reading: Reading, names: readonly KnownName[]): void {
  for (const mention of findMentions(reading.text, names)) {
    const { field, start, end, isWhole, isCapital } = mention;
    // A part of a name in small letters may be a word.
    if (
      !isWhole &&
      field === 'creator_id' &&
      !isCapital &&
      words.has(reading.text.slice(start, end)) &&
      !/\b(?:from|by)\s+$/iu.test(reading.text.slice(0, start))
    )
      continue;
    if (field !== 'tag_ids' && reading.found.some((other) => other.field === field && other.certain)) continue;
    if (reading.found.some((other) => other.field === field && other.start < end && start < other.end)) continue;
    add(reading, { start, end, field, parameters: parametersOf(mention), certain: false });
  }
}
