/** The last part of a path, without control characters, at most 255 characters. Browsers and scripts send whole paths. */
export function toBaseName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last.normalize('NFC').replaceAll(/\p{C}/gu, '').trim();
  return Array.from(clean).slice(0, 255).join('') || 'untitled';
}

/**
 * The file name that a server gives to what it sends: `filename*` or `filename` of `Content-Disposition` (RFC 6266), else the last part of
 * the URL's path.
 */
export function nameOfResponse(url: string, disposition: string | undefined): string {
  const { extended, quoted, plain } =
    /;\s*filename\*\s*=\s*(?:utf-8)'[^']*'(?<extended>[^;\s]+)/i.exec(disposition ?? '')?.groups ??
    /;\s*filename\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^;\s]+))/i.exec(disposition ?? '')?.groups ??
    {};
  const named = extended === undefined ? (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain) : decode(extended);
  return toBaseName(named ?? decode(new URL(url).pathname.split('/').at(-1) ?? ''));
}

/** Text without its percent-encoding; as it is where that is not valid. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
