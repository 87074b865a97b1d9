import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** What people search for and what is right for it, as the files beside this one and the material hold it. */

export const isPhotograph = (file: string): boolean => /\.(jpe?g|png|webp)$/i.test(file);
const isClip = (file: string): boolean => /\.(mp4|mkv|webm|avi|mov)$/i.test(file);

/** A query with the file names that are right for it. */
export type Judged = { query: string; right: string[] };

/** One of Flickr8k's test photographs with its five captions. */
type Captioned = { file: string; captions: string[] };

/** The photographs or clips of a folder, by name. */
export const listPhotographs = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter(isPhotograph).toSorted();
const listClips = async (folder: string): Promise<string[]> => (await readdir(folder)).filter(isClip).toSorted();

/**
 * The photographs of Flickr8k's test split that are there.
 * @param folder with `images/` and `Flickr8k_text/`, as the data set is published
 */
export async function readFlickr8k(folder: string): Promise<Captioned[]> {
  const text = (name: string) => readFile(path.join(folder, 'Flickr8k_text', name), 'utf8');
  const present = new Set(await readdir(path.join(folder, 'images')));
  const test = (await text('Flickr_8k.testImages.txt')).split(/\s+/).filter((name) => present.has(name));
  const captions = new Map<string, string[]>(test.map((name) => [name, []]));
  for (const line of (await text('Flickr8k.token.txt')).split('\n')) {
    const [id = '', caption = ''] = line.trim().split('\t');
    captions.get(id.split('#')[0] as string)?.push(caption);
  }
  return [...captions].map(([file, texts]) => ({ file, captions: texts }));
}

/** Lines of a table as fields, without comments and without the names of the columns. */
export async function readTable(file: string | URL): Promise<string[][]> {
  const lines = (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.slice(1).map((line) => line.split('\t'));
}

const split = (names: string | undefined): string[] => (names ?? '').split(' ').filter(Boolean);
const besideThis = (name: string): URL => new URL(name, import.meta.url);

/** Things that people type (`things.tsv`). */
async function readThings(captioned: Captioned[]): Promise<Judged[]> {
  return (await readTable(besideThis('things.tsv'))).map(([query = '', expression = '', files]) => {
    const pattern = new RegExp(expression, 'i');
    const matching = captioned.filter(({ captions }) => captions.some((caption) => pattern.test(caption)));
    return { query, right: [...matching.map(({ file }) => file), ...split(files)] };
  });
}

/** Kinds of things (`kinds.tsv`). */
const readKinds = async (): Promise<Judged[]> =>
  (await readTable(besideThis('kinds.tsv'))).map(([query = '', files]) => ({ query, right: split(files) }));

/** Each labelled photograph by the name that it is filed under: `Siamese_cat.jpg` by "siamese cat". */
const classNames = (photographs: string[]): Judged[] =>
  photographs.map((file) => ({ query: path.parse(file).name.replaceAll(/[_-]+/g, ' ').toLowerCase(), right: [file] }));

/** Queries on colour, light, texture, layout, places and motion (`descriptor-queries.tsv`); a third was held out of tuning the descriptors. */
const readDescriptorQueries = async (): Promise<(Judged & { kind: string; part: 'tuning' | 'held out' })[]> =>
  (await readTable(besideThis('descriptor-queries.tsv'))).map(([kind = '', part, query = '', files]) => ({
    kind,
    part: part === 'tuning' ? part : 'held out',
    query,
    right: split(files),
  }));

/** The clips of a folder by their sentences in its `descriptions.tsv`. */
const readDescriptions = async (folder: string): Promise<Judged[]> =>
  (await readTable(path.join(folder, 'descriptions.tsv'))).map(([file = '', query = '']) => ({ query, right: [file] }));

/** Everything that is searched for in some folders of material; without Flickr8k, things among the labelled files alone. */
export async function readJudged(folders: { photos: string; clips: string; flickr8k?: string | undefined }) {
  const photographs = await listPhotographs(folders.photos);
  const captioned = folders.flickr8k === undefined ? [] : await readFlickr8k(folders.flickr8k);
  return {
    uploads: [
      { group: 'labelled', folder: folders.photos, files: photographs },
      { group: 'labelled', folder: folders.clips, files: await listClips(folders.clips) },
      {
        group: 'flickr8k',
        folder: path.join(folders.flickr8k ?? '.', 'images'),
        files: captioned.map(({ file }) => file),
      },
    ],
    photographs,
    captions: captioned.flatMap(({ file, captions }) => captions.map((query) => ({ query, right: [file] }))),
    things: (await readThings(captioned)).filter(({ right }) => right.length > 0),
    kinds: await readKinds(),
    // Four photographs of one landscape in four orientations are not named after what they show.
    names: classNames(photographs.filter((file) => !file.startsWith('orientation'))),
    descriptions: await readDescriptions(folders.clips),
    descriptors: await readDescriptorQueries(),
  };
}
