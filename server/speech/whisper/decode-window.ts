import type { EncodedSound, Whisper } from './load-whisper.ts';

export type DecodedWindow = {
  /** Of the text, without those that steer. */
  tokens: number[];
  /** Natural logarithm of the probability of each token, and of the end. */
  logProbabilities: number[];
  /** Of the alignment heads, when each token of the text, and then its end, was chosen. */
  attention: Float32Array[][];
  /** Whether it was stopped because it said the same again and again. */
  looped: boolean;
};

/** Tokens a window may have: half of what the decoder was trained on, as the authors do. */
const maxTokens = 224;

/** A phrase of up to so many tokens that comes so often in a row is a loop of the decoder. */
const maxLoopLength = 16;
const maxRepeats = 3;

/** Probabilities of the languages, by code, and of nobody speaking. */
export type LanguageGuess = { languages: Map<string, number>; noSpeech: number };

/** Asks for the language of a window: the decoder's first token (Radford et al., 2022, 2.3). */
export async function guessLanguage({ tokens }: Whisper, sound: EncodedSound): Promise<LanguageGuess> {
  sound.restart();
  const { logits } = await sound.advance(tokens.start);
  const all = logSumExp(logits);
  const codes = [...tokens.languages];
  const spread = logSumExp(Float32Array.from(codes, ([, id]) => logits[id] ?? -Infinity));
  return {
    languages: new Map(codes.map(([code, id]) => [code, Math.exp((logits[id] ?? -Infinity) - spread)])),
    noSpeech: Math.exp((logits[tokens.noSpeech] ?? -Infinity) - all),
  };
}

/** Writes down what is said in a window, by the most probable token each time. Goes on from `guessLanguage`. */
export async function decodeWindow(
  { tokens: special }: Whisper,
  sound: EncodedSound,
  language: string,
): Promise<DecodedWindow> {
  await sound.advance(special.languages.get(language) ?? special.start);
  await sound.advance(special.transcribe);
  let step = await sound.advance(special.noTimestamps);
  const decoded: DecodedWindow = { tokens: [], logProbabilities: [], attention: [], looped: false };
  const { tokens } = decoded;
  for (;;) {
    const isFirst = tokens.length === 0;
    const logits = step.logits.slice();
    for (const id of special.suppressed) logits[id] = -Infinity;
    if (isFirst) for (const id of special.suppressedAtStart) logits[id] = -Infinity;
    // Time stamps and languages follow the end.
    const token = indexOfMax(logits.subarray(0, special.end + 1));
    decoded.logProbabilities.push((logits[token] ?? 0) - logSumExp(logits));
    decoded.attention.push(step.attention);
    if (token === special.end) return decoded;
    tokens.push(token);
    const repeated = countRepeated(tokens);
    if (repeated > 0 || tokens.length >= maxTokens) {
      decoded.looped = true;
      tokens.length -= repeated;
      decoded.attention.length = tokens.length + 1;
      return decoded;
    }
    step = await sound.advance(token);
  }
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

function logSumExp(values: Float32Array): number {
  let most = -Infinity;
  for (const value of values) most = Math.max(most, value);
  let sum = 0;
  for (const value of values) sum += Math.exp(value - most);
  return most + Math.log(sum);
}
