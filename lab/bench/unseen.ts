import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { halfOf } from './halves.ts';
import { isPhotograph, type Judged, readTable } from './judged.ts';
import type { Upload } from './library.ts';

/**
 * Photographs that are not of the family that the encoder's heads learned from: photographs of COCO's validation split with five captions each, and
 * Caltech-101. Half of both, by a hash of their names, is the development part, on which constants may be chosen; the other half is the report part, which
 * chooses nothing. docs/benchmarks.md says where they are from.
 */
export type Part = 'development' | 'report';

/** How often the training captions name a thing. */
export const commonness = ['often', 'sometimes', 'seldom'] as const;
export type Commonness = (typeof commonness)[number];

/** What people type for a thing, and the photographs that show it. */
export type UnseenThing = Judged & {
  part: Part;
  named: Commonness;
  /** Photographs of the same part that certainly lack it; empty where that cannot be told. */
  without: string[];
};

export type Unseen = {
  uploads: Upload[];
  captions: (Judged & { part: Part })[];
  things: UnseenThing[];
  classes: UnseenThing[];
};

/** Photographs of a class that are used. */
const perClass = 15;

export const partOf = (name: string): Part => (halfOf(name) === 'first' ? 'development' : 'report');

/** From how many of the 30,000 training captions name a thing: at least one in fifty, at least one in a thousand, or fewer. */
const toCommonness = (named: number): Commonness => (named >= 600 ? 'often' : named >= 30 ? 'sometimes' : 'seldom');

/**
 * @param captioned a folder with `images/`, `captions.tsv` (file, caption) and `objects.tsv` (file, names of all objects of COCO's 80 kinds; photographs
 *   whose objects are not known are missing)
 * @param classes the folder `101_ObjectCategories` of Caltech-101
 */
export async function readUnseen({ captioned, classes }: { captioned: string; classes: string }): Promise<Unseen> {
  const photographs = await readCaptioned(captioned);
  const members = await readClasses(classes);
  return {
    uploads: [
      { group: 'captioned', folder: path.join(captioned, 'images'), files: photographs.map(({ file }) => file) },
      { group: 'classes', folder: classes, files: [...members.values()].flat() },
    ],
    captions: photographs.flatMap(({ file, captions }) =>
      captions.map((query) => ({ query, right: [file], part: partOf(file) })),
    ),
    things: await readThings(photographs),
    classes: await readClassQueries(members),
  };
}

type Captioned = { file: string; captions: string[]; objects: string | undefined };

async function readCaptioned(folder: string): Promise<Captioned[]> {
  const objects = new Map((await readTable(path.join(folder, 'objects.tsv'))).map(([file, names]) => [file, names]));
  const captions = new Map<string, string[]>();
  for (const [file = '', caption = ''] of await readTable(path.join(folder, 'captions.tsv'))) {
    captions.set(file, [...(captions.get(file) ?? []), caption]);
  }
  return [...captions].map(([file, texts]) => ({ file, captions: texts, objects: objects.get(file) }));
}

async function readThings(photographs: Captioned[]): Promise<UnseenThing[]> {
  const table = await readTable(new URL('unseen-things.tsv', import.meta.url));
  return table.flatMap(([query = '', named, told, expression = '']) => {
    const pattern = new RegExp(expression, 'i');
    const shows = ({ captions, objects }: Captioned) => [...captions, objects ?? ''].some((text) => pattern.test(text));
    const part = partOf(query);
    const lacking = photographs.filter(
      (each) => partOf(each.file) === part && each.objects !== undefined && !shows(each),
    );
    return {
      query,
      part,
      named: toCommonness(Number(named)),
      right: photographs.filter(shows).map(({ file }) => file),
      without: told === '1' ? lacking.map(({ file }) => file) : [],
    };
  });
}

/** The photographs of each class by its name: the first of those of the development part, others of the report part. */
async function readClasses(folder: string): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>();
  for (const [name = '', query = ''] of await readTable(new URL('unseen-classes.tsv', import.meta.url))) {
    const files = (await readdir(path.join(folder, name))).filter(isPhotograph).toSorted();
    const first = partOf(query) === 'development' ? 0 : perClass;
    members.set(
      name,
      files.slice(first, first + perClass).map((file) => `${name}/${file}`),
    );
  }
  return members;
}

async function readClassQueries(members: Map<string, string[]>): Promise<UnseenThing[]> {
  const table = await readTable(new URL('unseen-classes.tsv', import.meta.url));
  const queryOf = new Map(table.map(([name = '', query = '']) => [name, query]));
  return table.map(([name = '', query = '', named, alike = '']) => {
    const part = partOf(query);
    const left = new Set([name, ...alike.split(' ')]);
    const others = [...members].filter(([other]) => !left.has(other) && partOf(queryOf.get(other) as string) === part);
    return {
      query,
      part,
      named: toCommonness(Number(named)),
      right: members.get(name) as string[],
      without: others.flatMap(([, files]) => files),
    };
  });
}

/** Words that name things that neither part shows, as far as its captions tell. */
export async function readAbsent(): Promise<string[]> {
  const lines = (await readFile(new URL('absent.txt', import.meta.url), 'utf8')).split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}
