import { type CaptionFormat, linesOf, timesOf } from './cue.ts';

/** Characters that begin markup or end it, as the character references of WebVTT have them. A `-->` in a text loses its meaning too. */
const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escape = (text: string): string => text.replaceAll(/[&<>]/g, (character) => references[character] ?? character);

/** WebVTT. Cues have their numbers as identifiers. @see https://www.w3.org/TR/webvtt1/ */
export const vtt: CaptionFormat = {
  mimeType: 'text/vtt; charset=utf-8',
  head: (about) => `WEBVTT\n\n${about.length > 0 ? `NOTE\n${about.flatMap(linesOf).map(escape).join('\n')}\n\n` : ''}`,
  cue(cue, number) {
    const { from, to } = timesOf(cue, '.');
    const text = linesOf(cue.text).map(escape).join('\n');
    return `${number}\n${from} --> ${to}\n${cue.uncertain ? `<i>${text}</i>` : text}\n\n`;
  },
};
