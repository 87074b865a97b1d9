import type { ExtractedSegment } from '../media/extracted-text.ts';
import { restOf, type SpeechWindow, toItemTime } from './pack-windows.ts';
import { splitLines } from './split-lines.ts';
import { alignTokens } from './whisper/align-tokens.ts';
import { type DecodedWindow, decodeWindow, guessLanguage, type LanguageGuess } from './whisper/decode-window.ts';
import { groupWords, type TimedWord } from './whisper/group-words.ts';
import type { Whisper } from './whisper/load-whisper.ts';

const sampleRate = 16_000;

/** A language that is less probable than this is not believed where the item speaks another. */
const sureLanguage = 0.7;
/** From this on nobody may be speaking: the threshold of the authors. */
const noSpeechAbove = 0.6;
/** Mean logarithms of the probabilities of a text's tokens. Clear speech has more than -0.7; below the last nothing is right any more. */
const fairBelow = -0.6;
const unsureBelow = -1;
const hopelessBelow = -1.25;
/** So little speech that is left of a window is not looked at again, seconds. */
const leastRest = 2;
/** Where the model stops early, the rest is tried so many times. */
const maxParts = 4;

/** How much was said in each language so far, in characters. */
export type SpokenLanguages = Map<string, number>;

/** Writes down a window. `spoken` is what was said before, and is added to. */
export async function transcribeWindow(
  whisper: Whisper,
  window: SpeechWindow,
  spoken: SpokenLanguages,
): Promise<ExtractedSegment[]> {
  const segments: ExtractedSegment[] = [];
  let part: SpeechWindow | null = window;
  for (let i = 0; part && i < maxParts; i++) {
    const { language, words } = await hear(whisper, part, spoken);
    const here: SpeechWindow = part;
    const placed = words.map((word) => ({ ...word, ...toItemTime(here, word) }));
    for (const line of splitLines(placed)) {
      const said = placed.filter(({ start, end }) => start >= line.start && end <= line.end);
      segments.push({ ...line, language: toBcp47(language), box: null, confidence: confidenceOf(said) });
    }
    spoken.set(language, (spoken.get(language) ?? 0) + words.reduce((sum, { text }) => sum + text.length, 0));
    const last = words.at(-1);
    part = last && last.end > 0 ? restOf(here, last.end, leastRest) : null;
  }
  return segments;
}

async function hear(
  whisper: Whisper,
  { samples }: SpeechWindow,
  spoken: SpokenLanguages,
): Promise<{ language: string; words: TimedWord[] }> {
  const sound = await whisper.encode(samples);
  const guess = await guessLanguage(whisper, sound);
  const attempts: { language: string; decoded: DecodedWindow }[] = [];
  for (const language of likelyLanguages(guess, spoken)) {
    if (attempts.length > 0) await guessLanguage(whisper, sound);
    attempts.push({ language, decoded: await decodeWindow(whisper, sound, language) });
  }
  const { language, decoded } = attempts.reduce((best, each) =>
    meanOf(each.decoded) > meanOf(best.decoded) ? each : best,
  );
  if (isPhantom(decoded, guess)) return { language, words: [] };
  const seconds = samples.length / sampleRate;
  const aligned = alignTokens(decoded.attention, seconds);
  // A model that does not tell where it looks: as if each token took the same time.
  const starts = aligned.length > 0 ? aligned : decoded.tokens.map((_, i) => (i * seconds) / decoded.tokens.length);
  return { language, words: groupWords(decoded.tokens, starts, decoded.logProbabilities, whisper.decodeText) };
}

/** That of the window; where it is unsure, the two most probable ones, of which one is what was heard before. The text tells which it is. */
function likelyLanguages({ languages }: LanguageGuess, spoken: SpokenLanguages): string[] {
  const [first, second] = [...languages].sort((a, b) => b[1] - a[1]).slice(0, 2);
  if (!first || !second || first[1] >= sureLanguage) return [first?.[0] ?? 'en'];
  const before = mostOf(spoken)?.[0] ?? second[0];
  return [first[0], before === first[0] ? second[0] : before];
}

/** Whether a text was made up: the model writes something also where nobody speaks. */
function isPhantom(decoded: DecodedWindow, { languages, noSpeech }: LanguageGuess): boolean {
  const mean = meanOf(decoded);
  const knowsLanguage = (mostOf(languages)?.[1] ?? 0) >= 0.5;
  const isUnsure = mean < unsureBelow || (mean < fairBelow && !knowsLanguage);
  return mean < hopelessBelow || (isUnsure && (noSpeech > noSpeechAbove || decoded.looped));
}

const meanOf = ({ logProbabilities }: DecodedWindow): number =>
  logProbabilities.reduce((sum, value) => sum + value, 0) / logProbabilities.length;

/** The language of most of what was said, in BCP 47; null: nothing was. */
export function mainLanguage(spoken: SpokenLanguages): string | null {
  const [language, characters] = mostOf(spoken) ?? ['', 0];
  return characters > 0 ? toBcp47(language) : null;
}

const mostOf = (values: Map<string, number>): [string, number] | undefined =>
  [...values].reduce<[string, number] | undefined>(
    (most, each) => (most && most[1] >= each[1] ? most : each),
    undefined,
  );

/** Whisper's codes are those of BCP 47, but for Javanese. */
const toBcp47 = (code: string): string => (code === 'jw' ? 'jv' : code);

/** The probability of a usual token of the words. */
function confidenceOf(words: TimedWord[]): number | null {
  if (words.length === 0) return null;
  return Math.exp(words.reduce((sum, { logProbability }) => sum + logProbability, 0) / words.length);
}
