/** Wildcards of a segment of a path: with more, text that nearly matches takes minutes to be refused. */
const maxInSegment = 2;
/** Wildcards of a whole pattern that can match a text in more than one way: each multiplies the ways that are tried. */
const maxAmbiguous = 4;

/**
 * Whether a pattern with `*` and `**` is refused or taken in a time that no text makes long. A `*` alone in a segment matches in one way; a second, `**`
 * and braces match in many.
 */
export function isBoundedPattern(pattern: string): boolean {
  let ambiguous = pattern.split('{').length - 1;
  for (const segment of pattern.split('/')) {
    if (segment === '**') {
      ambiguous += 1;
      continue;
    }
    const stars = segment.split('*').length - 1;
    if (stars > maxInSegment) return false;
    ambiguous += Math.max(0, stars - 1);
  }
  return ambiguous <= maxAmbiguous;
}

/** What is wrong with a glob of a source, for people; null: nothing. */
export function problemOfGlob(glob: string): string | null {
  if (!isBoundedPattern(glob))
    return 'must have at most two * between two slashes, besides **, and at most four of **, { and second * in all';
  // Both are regular expressions to the library that matches.
  if (/(?<!\\)[()]|[\]}]\+/.test(glob))
    return String.raw`must have neither parentheses, which are written \( and \), nor + after a bracket`;
  return null;
}
