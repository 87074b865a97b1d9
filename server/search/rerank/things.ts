import { type AskedThing, loadThingWords } from '@media-search/models/builtin/things/asked-things';
import { decodeFrames } from '@media-search/models/builtin/things/frame-things';
import { type ThingEvidence, thingEvidence } from '@media-search/models/builtin/things/thing-evidence';
import { once } from '@media-search/models/once';
import { longestPhrase, relevanceBeside } from '@media-search/search-engine/ranking/calibration';
import { evidenceOf, scoreOf } from '@media-search/search-engine/ranking/fuse';
import { countWords } from '@media-search/search-engine/ranking/score-candidates';
import type { TextQuery } from '@media-search/search-engine/text/text-query';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { type EngineHit, isFoundByText } from '../hits.ts';

/** Which words name what is recognised, read once for the process. */
const readWords = once(loadThingWords);

/**
 * The things that a query of a few words names, without those it excludes; null where there is none, or the embedder recognises none. Sentences say more than that,
 * and find less by it: on Flickr8k's development photographs a recall at 10 of 0.767, by their views alone 0.800.
 */
export async function askedThings(embedder: QueryEmbedder, text: TextQuery): Promise<AskedThing[] | null> {
  if (!embedder.recognisesThings || countWords(text.terms) > longestPhrase) return null;
  const named = (await readWords())(text.visualText);
  const things = [...new Map(named.map((thing) => [`${thing.count} ${thing.colour} ${thing.name}`, thing])).values()];
  return things.length === 0 ? null : things;
}

/** What was seen of each thing in a chunk; null where it was embedded before things were kept. */
export function seenThings(things: AskedThing[], stored: Uint8Array): ThingEvidence[] | null {
  const frames = decodeFrames(stored);
  return frames.length === 0 ? null : things.map((thing) => thingEvidence(thing, frames));
}

/**
 * Standard deviations that a thing adds which is surely seen, and that its number and colour add or take away. Chosen on the captions of Flickr8k's development
 * photographs, and things, numbers and colours that these name.
 */
const weights = { present: 0.5, fits: 2 };
/** A number or a colour that fits less speaks against a hit. */
const neutralFit = 0.45;

/** A verdict, 0..1, with what was seen as further evidence. */
export function verdictWithThings(verdict: number, seen: ThingEvidence[] | null): number {
  const added = (seen ?? []).map(
    ({ present, fits }) => weights.present * present + (fits === null ? 0 : weights.fits * (fits - neutralFit)),
  );
  return relevanceBeside(
    verdict,
    added.reduce((sum, each) => sum + each, 0),
  );
}

/** Below this nothing of a kind is taken to be seen, from the other on it surely is. Chosen as `weights` are. */
const [unseenBelow, surelyFrom] = [0.2, 0.6];

/**
 * Whether hits of a few words are weak, by what was seen: all whose text does not match, if a thing that would be recognised is seen in none; those that
 * surely show all things are clear, if none was. Clear hits stay before weak ones.
 * @param seen what was seen in the chunks of these numbers; of others nothing is known
 */
export function weighSeen(hits: EngineHit[], asked: AskedThing[], seen: Map<number, ThingEvidence[]>): EngineHit[] {
  const known = hits.flatMap(({ chunk }) => seen.get(chunk.number) ?? []);
  if (known.length === 0) return hits;
  const most = asked.map((_, i) => Math.max(...[...seen.values()].map((each) => each[i]?.present ?? 0)));
  if (asked.some(({ isComplete }, i) => isComplete && (most[i] as number) < unseenBelow)) {
    return ordered(hits.map((hit) => (isFoundByText(hit) ? hit : withWeak(hit, true))));
  }
  if (hits.some(({ weak }) => !weak)) return hits;
  const isSure = ({ chunk }: EngineHit) => seen.get(chunk.number)?.every(({ present }) => present >= surelyFrom);
  return ordered(hits.map((hit) => (isSure(hit) === true ? withWeak(hit, false) : hit)));
}

const withWeak = (hit: EngineHit, weak: boolean): EngineHit =>
  hit.weak === weak ? hit : { ...hit, weak, score: scoreOf(evidenceOf(hit.score, hit.weak), weak) };

const ordered = (hits: EngineHit[]): EngineHit[] => hits.toSorted((a, b) => b.score - a.score);
