import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CommandError, describeFailure } from '../failures.ts';

/** A file of this machine. */
export type LocalFile = {
  /** As it was given, or below the folder that was given. */
  path: string;
  /** Bytes. */
  size: number;
  /** Changes when the file is written to, or replaced by another. */
  signature: string;
};

export type FoundFiles = {
  files: LocalFile[];
  /** Files in folders that are neither videos nor images by their names, and links. */
  leftOut: number;
  /** What could not be read. */
  problems: Problem[];
};

/** A path that could not be read, and why in a sentence that names it. */
type Problem = { path: string; error: string };

/** What tells a file from one that was written to meanwhile. A change of the content changes `ctime`, which no call sets back. */
const toSignature = ({ size, mtimeMs, ctimeMs, ino }: Stats): string => `${size}:${mtimeMs}:${ctimeMs}:${ino}`;

/** A file as it is now. @throws the failure of the file system */
export async function readFileState(file: string): Promise<LocalFile> {
  const stats = await stat(file);
  if (!stats.isFile()) throw new CommandError(`${file} is no file.`);
  return { path: file, size: stats.size, signature: toSignature(stats) };
}

/**
 * The files that paths name: files themselves, folders with all that is below them, and patterns (`*`, `?`, `**`, `[a-z]`, `{a,b}`) where no shell has
 * expanded them. Hidden files, and links within folders, are left out: a link may lead anywhere, also back. A path or a pattern that names nothing is a
 * problem, and the others are found.
 */
export async function findFiles(paths: string[]): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], leftOut: 0, problems: [] };
  for (const given of paths) {
    try {
      await addPath(given, found);
    } catch (failure) {
      found.problems.push({ path: given, error: describeFailure(failure) });
    }
  }
  // A file that two paths name is sent once.
  const byPath = new Map(found.files.map((file) => [path.resolve(file.path), file]));
  return { ...found, files: [...byPath.values()] };
}

/** The videos and images of a folder and those below it. What cannot be read is a problem, also the folder itself. */
export async function findMedia(folder: string): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], leftOut: 0, problems: [] };
  await walk(folder, isMediaName, found);
  return found;
}

/** @throws the failure of the file system, and CommandError for a pattern that matches nothing and for what is no file */
async function addPath(given: string, found: FoundFiles): Promise<void> {
  const stats = await stat(given).catch((failure: unknown) => {
    if (isPattern(given)) return null;
    throw failure;
  });
  if (stats?.isDirectory()) await walk(given, isMediaName, found);
  else if (stats) found.files.push(await readFileState(given));
  else await addMatches(given, found);
}

async function walk(
  folder: string,
  accepts: (name: string, file: string) => boolean,
  found: FoundFiles,
): Promise<void> {
  for (const entry of await listFolder(folder, found)) {
    const file = path.join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) await walk(file, accepts, found);
    else if (!entry.isFile() || !accepts(entry.name, file)) found.leftOut++;
    else await addFile(file, found);
  }
}

/** Entries by name, so that two runs go the same way. */
async function listFolder(folder: string, found: FoundFiles): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  } catch (failure) {
    found.problems.push({ path: folder, error: describeFailure(failure) });
    return [];
  }
}

async function addFile(file: string, found: FoundFiles): Promise<void> {
  try {
    found.files.push(await readFileState(file));
  } catch (failure) {
    found.problems.push({ path: file, error: describeFailure(failure) });
  }
}

const isPattern = (text: string): boolean => /[*?[{]/.test(text);

async function addMatches(pattern: string, found: FoundFiles): Promise<void> {
  const parts = pattern.split(/[/\\]/);
  const first = parts.findIndex(isPattern);
  const base = parts.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.');
  const matches = toExpression(parts.slice(first).join('/'));
  const below: FoundFiles = { files: [], leftOut: 0, problems: [] };
  await walk(base, (_, file) => matches.test(path.relative(base, file).replaceAll(path.sep, '/')), below);
  if (below.files.length === 0) throw new CommandError(`Nothing matches ${pattern}.`);
  found.files.push(...below.files);
  found.problems.push(...below.problems);
}

/** What the pieces of a pattern stand for. */
const pieces: [RegExp, (piece: string) => string][] = [
  [/^\*\*\//, () => '(?:[^/]+/)*'],
  [/^\*\*/, () => '.*'],
  [/^\*/, () => '[^/]*'],
  [/^\?/, () => '[^/]'],
  [
    /^\[[^\]/]+\]/,
    (piece) =>
      `[${piece
        .slice(1, -1)
        .replace(/^!/, '^')
        .replaceAll(/[\\[\]]/g, String.raw`\$&`)}]`,
  ],
  [/^\{[^{}]*\}/, (piece) => `(?:${piece.slice(1, -1).split(',').map(toSource).join('|')})`],
];

function toSource(pattern: string): string {
  let [source, rest] = ['', pattern];
  while (rest !== '') {
    const [piece, write] = pieces
      .map(([expression, write]) => [expression.exec(rest)?.[0], write] as const)
      .find(([piece]) => piece !== undefined) ?? [
      rest.charAt(0),
      (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/, String.raw`\$&`),
    ];
    source += write(piece ?? '');
    rest = rest.slice((piece ?? '').length);
  }
  return source;
}

/** A pattern as an expression for whole paths, whose parts are separated by slashes. */
const toExpression = (pattern: string): RegExp => new RegExp(`^${toSource(pattern)}$`, 'u');

/**
 * Extensions that videos, images and recordings usually have. A folder is searched for these; a file that is named itself may have any, because the service
 * looks at the content.
 */
const extensions = new Set(
  (
    '3g2 3gp 3gpp asf avi divx dv f4v flv gxf m2ts m2v m4v mjpeg mjpg mkv mov mp4 mpe mpeg mpg mts mxf nut ogm ogv qt rm rmvb ts vob webm wmv y4m ' +
    'apng avif bmp gif heic heif hif j2k jfif jp2 jpe jpeg jpg jxl png tif tiff webp arw cr2 cr3 dng nef orf raf rw2 ' +
    'aac aif aiff amr caf flac m4a m4b mp3 oga ogg opus wav wma'
  ).split(' '),
);

/** Whether a file of this name is usually a video, an image or a recording. Hidden files are not: macOS keeps `._holiday.mov` beside its files. */
const isMediaName = (name: string): boolean =>
  !name.startsWith('.') && extensions.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
