import path from 'node:path';
import { readFlickr8k, readTable } from './judged.ts';
import { type Library, openLibrary } from './library.ts';

/** Photographs of one part with what their captions mention, in a running service. */
export type CaptionedPart = {
  part: 'development' | 'report';
  files: string[];
  /** How many of the five captions of a photograph match. */
  count: (file: string, expression: RegExp) => number;
  /** The files of the first ten hits of a search by words. @param more further parameters, each with `&` before it */
  byWords: (q: string, more?: string) => Promise<string[]>;
  /** The same by a photograph, without itself, and by words beside it. */
  byImage: (file: string, q?: string) => Promise<string[]>;
};

/** Something to join, and the captions that mention it. */
export type Mentioned = { query: string; pattern: RegExp };

/** Photographs of each part: a busy machine indexes two a second. */
const perPart = 500;

/** The things and places of `composed.tsv`. */
export async function readMentioned(kind: 'thing' | 'place'): Promise<Mentioned[]> {
  const rows = await readTable(new URL('composed.tsv', import.meta.url));
  return rows.flatMap(([of, query = '', expression = '']) =>
    of === kind ? [{ query, pattern: new RegExp(expression, 'i') }] : [],
  );
}

/**
 * Flickr8k in a service of its own: the first photographs of its development split, on which constants may be chosen, and of its test split, which chooses nothing.
 * @param flickr8k the folder, as it is published
 * @param keep where the service's data stays for the next call
 */
export async function openCaptioned(
  flickr8k: string,
  keep: string | undefined,
): Promise<AsyncDisposable & { library: Library; parts: CaptionedPart[] }> {
  const splits = { development: 'dev', report: 'test' } as const;
  const captioned = new Map(
    await Promise.all(
      Object.entries(splits).map(
        async ([part, split]) => [part, (await readFlickr8k(flickr8k, split)).slice(0, perPart)] as const,
      ),
    ),
  );
  const folder = path.join(flickr8k, 'images');
  const uploads = [...captioned].map(([group, photographs]) => ({
    group,
    folder,
    files: photographs.map(({ file }) => file),
  }));
  const library = await openLibrary('builtin', uploads, keep);
  const { client, files } = library;
  const parts: CaptionedPart[] = [];
  for (const [place, part] of (['development', 'report'] as const).entries()) {
    const captions = new Map(captioned.get(part)?.map((each) => [each.file, each.captions]));
    const { data: creators } = await client.get<{ id: string; name: string }[]>(`/creators?q=qx${place}`);
    const only = `creator_id=${creators[0]?.id}`;
    const idOf = new Map([...files].map(([id, file]) => [file, id]));
    const read = ({ status, data, error }: Awaited<ReturnType<typeof client.search>>) => {
      if (status !== 200) throw new Error(JSON.stringify(error));
      return data.map(({ id }) => files.get(id) as string);
    };
    parts.push({
      part,
      files: [...captions.keys()],
      count: (file, expression) => captions.get(file)?.filter((caption) => expression.test(caption)).length ?? 0,
      byWords: async (q, more = '') => read(await client.search(q, `&n=10${more}&${only}`)),
      async byImage(file, q) {
        const body = { media_id: idOf.get(file), n: 11, ...(q === undefined ? {} : { q }) };
        const found = read(await client.post(`/media/search/image?${only}`, body));
        return found.filter((other) => other !== file).slice(0, 10);
      },
    });
  }
  return { library, parts, [Symbol.asyncDispose]: () => library[Symbol.asyncDispose]() };
}
