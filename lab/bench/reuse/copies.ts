import type { Random } from '../shot-films.ts';
import type { Part } from './write-film.ts';

/** A film with its length, seconds. */
export type Film = { file: string; seconds: number };

/** At most 480 pixels wide, with even sides, which the encoder asks for. */
const even = "scale='trunc(min(480,iw)/2)*2':-2";

/** How films are used again. */
export const kinds = ['trim', 'crop', 'mirror', 'letterbox', 'speed', 'grade', 'compilation'] as const;
export type Kind = (typeof kinds)[number];

type Span = { start: number; end: number };

/** A copy: of what it is made, and which seconds of the film it shows. */
export type Copy = { parts: Part[]; used: Span };

/** Lengths of what is used, seconds. */
const [minUsed, maxUsed] = [4, 12];

/** Some seconds of a film. */
export function chooseSpan({ seconds }: Film, random: Random): Span {
  const length = Math.min(seconds, minUsed + random() * (maxUsed - minUsed));
  const start = random() * (seconds - length);
  return { start, end: start + length };
}

/** Fits a picture into one size, with bars where it has another shape. */
export const fitted = 'scale=480:270:force_original_aspect_ratio=decrease,pad=480:270:(ow-iw)/2:(oh-ih)/2';

/** A film made of some seconds of another one. @param others films between which a compilation shows it */
export function makeCopy(kind: Kind, film: Film, others: Film[], random: Random): Copy {
  const used = chooseSpan(film, random);
  const as = (filter: string): Copy => ({ parts: [{ source: film.file, ...used, filter }], used });
  switch (kind) {
    case 'trim':
      return as(even);
    case 'crop': {
      const share = between(random, 0.7, 0.9);
      return as(
        `crop=iw*${share}:ih*${share}:(iw-ow)*${between(random, 0, 1)}:(ih-oh)*${between(random, 0, 1)},${even}`,
      );
    }
    case 'mirror':
      return as(`hflip,${even}`);
    case 'letterbox':
      return random() < 0.5
        ? as('scale=480:-2,pad=iw:trunc(ih*1.33/2)*2:0:(oh-ih)/2')
        : as('scale=-2:270,pad=trunc(iw*1.33/2)*2:ih:(ow-iw)/2:0');
    case 'speed':
      return as(`setpts=PTS/1.25,${even}`);
    case 'grade':
      return as(`${grade(random)},${even}`);
    case 'compilation': {
      const part = (each: Film, span: Span) => ({ source: each.file, ...span, filter: fitted });
      const shown = others.map((other) => part(other, chooseSpan(other, random)));
      return { parts: shown.toSpliced(Math.floor(random() * (shown.length + 1)), 0, part(film, used)), used };
    }
    default:
      return kind satisfies never;
  }
}

const between = (random: Random, least: number, most: number): string => (least + random() * (most - least)).toFixed(3);

/** Another brightness of the middle tones, other strengths of the colours, and a tint. */
const grade = (random: Random): string => {
  const chroma = () => `128+(val-128)*${between(random, 0.3, 1.3)}+${between(random, -12, 12)}`;
  return `format=yuv444p,lutyuv=y=255*pow(val/255\\,${between(random, 0.6, 1.6)}):u=${chroma()}:v=${chroma()}`;
};
