/** A folder of a source: its path below the root, with slashes; empty: the root itself. */
type Folder = { path: string; name: string };

/** A folder with those above it, the topmost first, without the root. */
export function foldersTo(path: string): Folder[] {
  const names = path.split('/').filter((name) => name !== '');
  return names.map((name, i) => ({ name, path: names.slice(0, i + 1).join('/') }));
}

/** The folder that holds another; empty: the root. */
export const folderAbove = (path: string): string => foldersTo(path).at(-2)?.path ?? '';

/** A folder in words, the topmost first: `2026 › berlin`. */
export const describeFolder = (path: string): string =>
  foldersTo(path)
    .map(({ name }) => name)
    .join(' › ');

/** Folders that a small place names: the last ones tell more than the first. */
const mostNamed = 2;

/** A folder in words, where there is little room: `… › berlin › day 1`. */
export function describeFolderShortly(path: string): string {
  const names = foldersTo(path).map(({ name }) => name);
  return [...(names.length > mostNamed ? ['…'] : []), ...names.slice(-mostNamed)].join(' › ');
}
