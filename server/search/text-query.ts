/** Words that stand in most sentences and say nothing about a picture. */
const stopWords = new Set(
  (
    'a an and are as at be by for from has he her his how i in into is it its me my no not of on or our she show that the ' +
    'their them there they this to was we were what when where which who with without you your'
  ).split(' '),
);

/** The words of a query that full-text search looks for, in the user's spelling, each once; stop words only when alone. */
export function textTerms(query: string): string[] {
  const words = query.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const lower = words.map((word) => word.toLowerCase());
  const unique = words.filter((_, i) => lower.indexOf(lower[i] ?? '') === i);
  const telling = unique.filter((word) => !stopWords.has(word.toLowerCase()));
  return (telling.length > 0 ? telling : unique).slice(0, 32);
}

/**
 * An FTS5 expression that finds any of the terms. Each is quoted, so that nothing a user writes is taken for syntax.
 * @see https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
export const anyOf = (terms: string[]): string => terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' OR ');
