import { validationError } from '../../../errors/api-error.ts';

/** A key of printable ASCII without comma, a space, and base64; the value may be left out. */
const pair = /^([!-+\--~]+)(?: ([A-Za-z0-9+/]*={0,2}))?$/;

/**
 * Reads `Upload-Metadata`. An empty value means: not chosen, as in forms.
 * Throws `validation_error`.
 */
export function parseMetadata(header: string): Record<string, string> {
  const values = new Map<string, string>();
  for (const text of header === '' ? [] : header.split(',')) {
    const [, key = '', value = ''] = pair.exec(text.trim()) ?? [];
    if (key === '' || values.has(key) || value.length % 4 !== 0) {
      throw validationError([
        {
          path: 'header.Upload-Metadata',
          message: 'must be pairs of a key, once, and a value in base64, with commas in between',
        },
      ]);
    }
    values.set(key, Buffer.from(value, 'base64').toString());
  }
  return Object.fromEntries([...values].filter(([, value]) => value !== ''));
}
