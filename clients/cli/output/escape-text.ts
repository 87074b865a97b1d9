/** Control characters, marks that turn the direction of writing or cannot be seen, and line separators. Joiners stay: emoji and Persian need them. */
export const unsafeCharacters = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;

const named: Record<string, string> = { '\t': String.raw`\t`, '\n': String.raw`\n`, '\r': String.raw`\r` };

const toUnicodeEscapes = (characters: string): string =>
  Array.from({ length: characters.length }, (_, i) => characters.charCodeAt(i))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/**
 * Text of others (names of files, messages of a service) for one line of a terminal: a file name may hold sequences that a terminal obeys.
 * What could act is shown as `\n`, `\u001b` and so on.
 */
export const escapeText = (text: string): string =>
  text.replaceAll(unsafeCharacters, (character) => named[character] ?? toUnicodeEscapes(character));

/** JSON in which nothing acts on a terminal. It is the same JSON: only what may be written as an escape is. */
export function escapeJson(value: unknown, indent: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.replaceAll(unsafeCharacters, (character) =>
    character === '\n' ? character : toUnicodeEscapes(character),
  );
}
