/** What people call the parts of a request. The others are called by their own names: `first_name` is “First name”. */
const partNames: Record<string, string> = {
  q: 'The search',
  file: 'The file',
  url: 'The address',
  name: 'The name',
  filename: 'The name',
  email: 'The e-mail address',
  text: 'The text',
};

type Detail = { path: string; message: string };

/**
 * A failure in a sentence for people. The service says what is wrong with a request as a path and the end of a sentence: `query.q` `must have at
 * most 500 characters` becomes “The search must have at most 500 characters.”
 */
export function describeError(error: Error & { code?: string; details?: readonly Detail[] }): string {
  const [detail] = error.details ?? [];
  // The details of other refusals are numbers, such as those of a full plan.
  if (!detail || error.code !== 'validation_error') return error.message;
  const part = detail.path.split('.').findLast((name) => !/^\d+$/.test(name)) ?? '';
  return toSentence(`${partNames[part] ?? part.replaceAll('_', ' ')} ${detail.message}`);
}

/** With a capital letter in front and a full stop at the end. */
export const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
