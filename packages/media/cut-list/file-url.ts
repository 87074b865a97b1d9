/** A path of another machine as a `file` URL (RFC 8089): of macOS and Linux, with a drive, or of a share (`\\SERVER\SHARE`). Null: it is no absolute path. */
export function toFileUrl(path: string): string | null {
  const isWindows = /^(?:[A-Za-z]:|\\)\\/.test(path);
  const slashed = isWindows ? path.replaceAll('\\', '/') : path;
  const drive = /^[A-Za-z]:(?=\/)/.exec(slashed)?.[0];
  if (drive === undefined && !slashed.startsWith('/')) return null;
  const encoded = slashed
    .slice(drive?.length ?? 0)
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/');
  if (drive !== undefined) return `file:///${drive}${encoded}`;
  return isWindows ? `file:${encoded}` : `file://${encoded}`;
}
