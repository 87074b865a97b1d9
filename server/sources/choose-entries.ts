import ignore, { type Ignore } from 'ignore';
import picomatch from 'picomatch';
import { isBoundedPattern } from '../../contract/source-globs.ts';
import { isFolderCover, mediaTypeOfName, sidecarStems } from './media-extensions.ts';

/** What of a folder is taken, wherever it is: on a disk or in a bucket. Paths are below the root of the source, with slashes. */

/** The file by which a folder, with all below it, is left out. */
export const noMediaFile = '.nomedia';
/** The file with patterns, as of `.gitignore`, of what is left out. */
export const ignoreFile = '.ignore';
/** The largest `.ignore` file that is read, bytes. */
export const maxIgnoreBytes = 64 * 1024;

/** A file beside media that belongs to it. */
export type Sidecar = { path: string; size: number; modifiedMs: number };

/** Sidecars of one item at most. */
const maxSidecars = 20;
/** Media that a sidecar may belong to by its name, the longest names first: of `a.en.forced.srt` three. */
const maxStems = 4;

/** What a folder holds. */
export type Entry = { name: string; kind: 'file' | 'folder' | 'other' };

/** Patterns of `.ignore` files, each of the folder that it is in. */
export type IgnoreRules = { below: string; rules: Ignore }[];

/** What globs of a source take. */
export type Globs = { isIncluded: (file: string) => boolean; isExcluded: (file: string) => boolean };

/** @param options.nocase whether small and capital letters are the same */
export function createGlobs(
  { include, exclude }: { include: string[]; exclude: string[] },
  { nocase }: { nocase: boolean },
): Globs {
  const matches = (globs: string[]) => picomatch(globs, { dot: true, nocase });
  return {
    isIncluded: include.length === 0 ? () => true : matches(include),
    isExcluded: exclude.length === 0 ? () => false : matches(exclude),
  };
}

/** The rules that count in a folder with an `.ignore` file. @param text what that holds; patterns that could take minutes to match count for nothing */
export const addRules = (ignored: IgnoreRules, below: string, text: string): IgnoreRules => [
  ...ignored,
  { below, rules: ignore().add(text.split(/\r?\n/).filter(isBoundedPattern)) },
];

/** The path of something in a folder; the root is an empty text. */
export const pathIn = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Whether films or sounds are among the entries of a folder: pictures of the folder are none of their own then. */
export const hasFilms = (entries: Entry[]): boolean =>
  entries.some(({ name, kind }) => {
    const type = mediaTypeOfName(name)?.type;
    return kind !== 'folder' && !name.startsWith('.') && type !== undefined && type !== 'image';
  });

/**
 * Chooses what of a folder is taken: media, the folders in it, and what may belong to media. Hidden files and folders, and what `.ignore` files or
 * globs exclude, are left out. Whether there is a `.nomedia` file is for the caller to see.
 * @param holdsFilms whether films or sounds are in the folder, of which only a part may be given
 */
export function chooseEntries<Each extends Entry>(
  folder: string,
  entries: Each[],
  { isIncluded, isExcluded }: Globs,
  ignored: IgnoreRules,
  holdsFilms = hasFilms(entries),
): { folders: string[]; media: Each[]; sidecars: Each[] } {
  const isLeftOut = (file: string) =>
    isExcluded(file.replace(/\/$/, '')) ||
    ignored.some(({ below, rules }) => rules.ignores(below === '' ? file : file.slice(below.length + 1)));
  const wanted = entries.filter(({ name }) => !name.startsWith('.'));
  const files = wanted.filter(({ kind }) => kind !== 'folder');
  return {
    folders: wanted
      .filter(({ kind }) => kind === 'folder')
      .map(({ name }) => pathIn(folder, name))
      .filter((each) => !isLeftOut(`${each}/`)),
    media: files.filter(({ name }) => {
      const file = pathIn(folder, name);
      return mediaTypeOfName(name) && !isLeftOut(file) && isIncluded(file) && !(holdsFilms && isFolderCover(name));
    }),
    sidecars: files.filter(({ name, kind }) => kind === 'file' && sidecarStems(name).length > 0),
  };
}

/** Finds the sidecars of media among those of its folder. @returns gives them by the name of the media */
export function groupSidecars(sidecars: Sidecar[]): (name: string) => Sidecar[] {
  const found = new Map<string, Sidecar[]>();
  for (const sidecar of sidecars) {
    const stems = sidecarStems(sidecar.path.slice(sidecar.path.lastIndexOf('/') + 1));
    for (const stem of stems.slice(0, maxStems)) {
      const same = found.get(stem);
      if (!same) found.set(stem, [sidecar]);
      else if (same.length < maxSidecars) same.push(sidecar);
    }
  }
  return (name) => found.get(name.slice(0, name.lastIndexOf('.'))) ?? [];
}
