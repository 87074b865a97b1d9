import type { EncodedSound, Whisper } from './load-whisper.ts';

export type DecodedWindow = {
  /** The tokens of the text, without those that steer. */
  tokens: number[];
  /** Natural logarithm of the probability of each token, and of the end. */
  logProbabilities: number[];
  /** The attention of the alignment heads when each token of the text, and then its end, was chosen. */
  attention: Float32Array[][];
  /** Whether it was stopped because it said the same again and again. */
  looped: boolean;
};

/** Tokens a window may have: half of what the decoder was trained on, as the authors do. */
const maxTokens = 224;

/** How many texts are followed at once; of the authors. */
const beamCount = 5;

/** A phrase of up to so many tokens that comes so often in a row is a loop of the decoder. */
const maxLoopLength = 16;
const maxRepeats = 3;

/** Probabilities of the languages, by code, and of no speech. */
export type LanguageGuess = { languages: Map<string, number>; noSpeech: number };

/** Asks for the language of a window: the decoder's first token (Radford et al., 2022, 2.3). */
export async function guessLanguage({ tokens }: Whisper, sound: EncodedSound): Promise<LanguageGuess> {
  sound.restart();
  const [step] = await sound.advance([tokens.start], [0]);
  const logits = step?.logits ?? new Float32Array(0);
  const all = logSumExp(logits);
  const codes = [...tokens.languages];
  const spread = logSumExp(Float32Array.from(codes, ([, id]) => logits[id] ?? -Infinity));
  return {
    languages: new Map(codes.map(([code, id]) => [code, Math.exp((logits[id] ?? -Infinity) - spread)])),
    noSpeech: Math.exp((logits[tokens.noSpeech] ?? -Infinity) - all),
  };
}

/** A text that is not ended yet. */
type Beam = Pick<DecodedWindow, 'tokens' | 'logProbabilities' | 'attention'> & { sum: number };

/**
 * Writes down what is said in a window. Of all texts the most probable ones are followed (beam search, as the authors do), and that is taken
 * whose tokens are most probable on average. Goes on from `guessLanguage`.
 */
export async function decodeWindow(
  { tokens: special }: Whisper,
  sound: EncodedSound,
  language: string,
): Promise<DecodedWindow> {
  await sound.advance([special.languages.get(language) ?? special.start], [0]);
  await sound.advance([special.transcribe], [0]);
  let steps = await sound.advance([special.noTimestamps], [0]);
  let beams: Beam[] = [{ tokens: [], logProbabilities: [], attention: [], sum: 0 }];
  const ended: DecodedWindow[] = [];
  for (;;) {
    const isFirst = beams[0]?.tokens.length === 0;
    const options = steps.flatMap(({ logits }, parent) => {
      const sum = beams[parent]?.sum ?? 0;
      return likeliestTokens(logits, special, isFirst).map((next) => ({
        ...next,
        parent,
        sum: sum + next.logProbability,
      }));
    });
    const going: (Beam & { parent: number })[] = [];
    for (const { token, parent, logProbability, sum } of options.sort((a, b) => b.sum - a.sum)) {
      if (going.length === beamCount) break;
      const before = beams[parent] as Beam;
      const beam: Beam = {
        tokens: token === special.end ? before.tokens : [...before.tokens, token],
        logProbabilities: [...before.logProbabilities, logProbability],
        attention: [...before.attention, steps[parent]?.attention ?? []],
        sum,
      };
      const repeated = countRepeated(beam.tokens);
      if (token === special.end) ended.push({ ...beam, looped: false });
      else if (repeated > 0 || beam.tokens.length >= maxTokens) ended.push(cutLoop(beam, repeated));
      else going.push({ ...beam, parent });
    }
    if (ended.length >= beamCount || going.length < beamCount) break;
    beams = going;
    steps = await sound.advance(
      going.map(({ tokens }) => tokens.at(-1) as number),
      going.map(({ parent }) => parent),
    );
  }
  return ended.reduce((best, each) => (meanOf(each.logProbabilities) > meanOf(best.logProbabilities) ? each : best));
}

/** A text that went round in circles: its first round. */
function cutLoop({ tokens, logProbabilities, attention }: Beam, repeated: number): DecodedWindow {
  const length = tokens.length - repeated;
  return {
    tokens: tokens.slice(0, length),
    logProbabilities: logProbabilities.slice(0, length),
    attention: attention.slice(0, length + 1),
    looped: true,
  };
}

/** The most probable tokens to come next, one more than are followed because one of them may be the end; with natural logarithms. */
function likeliestTokens(
  logits: Float32Array,
  special: Whisper['tokens'],
  isFirst: boolean,
): { token: number; logProbability: number }[] {
  // Time stamps and languages follow the end.
  const allowed = logits.slice(0, special.end + 1);
  for (const id of special.suppressed) allowed[id] = -Infinity;
  if (isFirst) for (const id of special.suppressedAtStart) allowed[id] = -Infinity;
  const all = logSumExp(allowed);
  return Array.from({ length: beamCount + 1 }, () => {
    const token = indexOfMax(allowed);
    const logProbability = (allowed[token] ?? 0) - all;
    allowed[token] = -Infinity;
    return { token, logProbability };
  });
}

/** How many tokens at the end only repeat the phrase before them; 0 while it does not come too often. */
export function countRepeated(tokens: readonly number[]): number {
  for (let length = 1; length <= maxLoopLength; length++) {
    // A single word may be said a few times.
    const repeats = length < 4 ? 2 * maxRepeats : maxRepeats;
    const from = tokens.length - length * repeats;
    if (from < 0) continue;
    if (tokens.slice(from + length).every((token, i) => token === tokens[from + i])) return length * (repeats - 1);
  }
  return 0;
}

function indexOfMax(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) > (values[best] ?? 0)) best = i;
  return best;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function logSumExp(values: Float32Array): number {
  let most = -Infinity;
  for (const value of values) most = Math.max(most, value);
  let sum = 0;
  for (const value of values) sum += Math.exp(value - most);
  return most + Math.log(sum);
}
