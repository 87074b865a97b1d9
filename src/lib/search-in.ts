import type { TextSource } from './found-text.ts';

/** What a search can be limited to: what is seen in the picture, or texts by where they were found. */
export type SearchedIn = 'visual' | TextSource;

/** Kinds of sources, as people choose them. */
export const searchPlaces = [
  { id: 'pictures', text: 'Pictures', sources: ['visual'] },
  { id: 'speech', text: 'Speech and subtitles', sources: ['speech', 'subtitle'] },
  { id: 'on-screen-text', text: 'On-screen text', sources: ['ocr'] },
  {
    id: 'names',
    text: 'Names and tags',
    sources: ['filename', 'tag', 'chapter', 'creator', 'category', 'collection'],
  },
] as const satisfies { id: string; text: string; sources: readonly SearchedIn[] }[];

export type SearchPlace = (typeof searchPlaces)[number];

const allSources: readonly SearchedIn[] = searchPlaces.flatMap(({ sources }) => sources);

/**
 * What a URL limits a search to, by its parameter `in`, as the API has it: names of sources, separated by commas. What does not exist is left
 * out.
 * @returns empty where everything is searched
 */
export function readSearchIn(parameter: string | null | undefined): SearchedIn[] {
  const named = new Set((parameter ?? '').split(','));
  const sources = allSources.filter((source) => named.has(source));
  return sources.length === allSources.length ? [] : sources;
}

/** The parameter for what is searched; undefined for everything. */
export const writeSearchIn = (sources: readonly SearchedIn[]): string | undefined =>
  readSearchIn(sources.join(',')).join(',') || undefined;

/** What is searched for inside an item: words, and `in`, which limits where, as the API has it; without it everything is searched. */
export type ItemQuery = { q: string; in: string | undefined };

/** What an address searches for by words; no words where it does not. */
export function readItemQuery(search: URLSearchParams): ItemQuery {
  const q = search.get('q') ?? '';
  return { q, in: q === '' ? undefined : writeSearchIn(readSearchIn(search.get('in'))) };
}

/** Whether something of a place is searched, where a search is limited to some sources. */
export const isSearched = ({ sources: ofPlace }: SearchPlace, sources: readonly SearchedIn[]): boolean =>
  ofPlace.some((source) => sources.includes(source));

/** The sources after a place was added to them, or taken away where something of it was among them. */
export const togglePlace = (place: SearchPlace, sources: readonly SearchedIn[]): SearchedIn[] => {
  const others = sources.filter((source) => !place.sources.some((own) => own === source));
  return isSearched(place, sources) ? others : [...others, ...place.sources];
};

/** What is searched, in words. A URL may name a part of a place, which counts as the place here. */
export const describeSearchIn = (sources: readonly SearchedIn[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(
    searchPlaces.filter((place) => isSearched(place, sources)).map(({ text }) => text.toLowerCase()),
  );
