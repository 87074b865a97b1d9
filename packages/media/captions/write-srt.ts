import { type CaptionFormat, linesOf, timesOf } from './cue.ts';

/**
 * SubRip, in UTF-8. It has no standard: lines end as its first program wrote them (CR LF), which every player reads, and there is no place
 * for what is known of the captions. Characters cannot be escaped, so an arrow as between times is written as the sign of one.
 */
export const srt: CaptionFormat = {
  mimeType: 'application/x-subrip; charset=utf-8',
  head: () => '',
  cue(cue, number) {
    const { from, to } = timesOf(cue, ',');
    const text = linesOf(cue.text)
      .map((line) => line.replaceAll('-->', '→'))
      .join('\r\n');
    return [String(number), `${from} --> ${to}`, cue.uncertain ? `<i>${text}</i>` : text, '', ''].join('\r\n');
  },
};
