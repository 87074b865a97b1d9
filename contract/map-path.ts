/**
 * How the files of sources are named elsewhere: on other machines, by which cut lists of the service and “Copy path” of the dashboard name them
 * alike, and in other programs, from which libraries are imported. This file has no schemas, so that browsers load it without them.
 */

/** A folder as it is named in one place, and as it is named in another. */
export type PathMap = { from: string; to: string };

/** The folder without a separator at its end; `/` becomes empty. */
const withoutEnd = (path: string): string => path.replace(/[/\\]+$/, '');

/**
 * The path of a file from a folder on; empty: it is the folder itself.
 * @param path absolute, with slashes
 * @returns null where it is not in the folder
 */
export function pathBelow(path: string, folder: string): string | null {
  const root = withoutEnd(folder);
  if (path === root) return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null;
}

/**
 * A path as it is named elsewhere: by the mapping whose `from` is the longest that the path lies in. Where `to` has backslashes, so has all of it.
 * @param path absolute, with slashes
 * @returns null where the path lies in none, or is not plain: what climbs up would lead to another file
 */
export function mapPath(path: string, mappings: readonly PathMap[]): string | null {
  const [best] = mappings
    .flatMap(({ from, to }) => {
      const rest = pathBelow(path, from);
      return rest === null ? [] : [{ to, rest }];
    })
    .toSorted((a, b) => a.rest.length - b.rest.length);
  if (!best) return null;
  const { to, rest } = best;
  if (rest === '') return to;
  const parts = rest.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) return null;
  const separator = to.includes('\\') ? '\\' : '/';
  return [withoutEnd(to), ...parts].join(separator);
}

/**
 * A path as another machine names it; one that no mapping of it has stays as it is.
 * @param name of the machine; the mappings of other names are left out
 */
export const pathOnMachine = (path: string, mappings: readonly (PathMap & { name: string })[], name: string): string =>
  mapPath(
    path,
    mappings.filter((mapping) => mapping.name === name),
  ) ?? path;
