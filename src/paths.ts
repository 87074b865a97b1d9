import { toUrlParameters } from './lib/saved-parameters.ts';

/** The path of every page of the dashboard, with its query. */
export const paths = {
  library: '/',
  /** What has a label. */
  labelled: (kind: 'creator' | 'category' | 'collection' | 'tag', id: string) =>
    kind === 'collection' ? paths.collection(id) : `/?${kind}=${id}`,
  collections: '/collections',
  collection: (id: string) => `/collections/${id}`,
  /** An item; `t`: the moment to begin at, in seconds; `q`: the query whose hits in it are shown, found in `in`, or everywhere. */
  media: (id: string, { t, q, in: places }: { t?: number; q?: string; in?: string | undefined } = {}) => {
    const query = [
      ...(t === undefined ? [] : [`t=${writeSeconds(t)}`]),
      ...(q === undefined || q === '' ? [] : [`q=${encodeURIComponent(q)}`]),
      ...(places === undefined ? [] : [`in=${places}`]),
    ];
    return `/media/${id}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  },
  search: '/search',
  searchFor: (query: string) => `/search?q=${encodeURIComponent(query)}`,
  savedSearches: '/saved-searches',
  /** What a saved search shows: a page, and the parameters of the API. */
  saved: ({ page, parameters }: { page: 'library' | 'search' | 'highlights'; parameters: Record<string, string> }) => {
    const query = new URLSearchParams(toUrlParameters(page, parameters)).toString();
    return query === '' ? paths[page] : `${paths[page]}?${query}`;
  },
  highlights: '/highlights',
  /** Where items were recorded. */
  map: '/map',
  /** The same around a position, in degrees. */
  mapAt: (latitude: number, longitude: number) => `/map?at=${latitude.toFixed(4)},${longitude.toFixed(4)},12`,
  workspace: '/workspace',
  trash: '/trash',
  sources: '/sources',
  source: (id: string) => `/sources/${id}`,
  /** What lies in a folder of a source and below it; the root without one. `more`: other parameters of the library. */
  inFolder: (source: string, folder = '', more: Record<string, string> = {}) =>
    `/?${new URLSearchParams({ source, ...(folder === '' ? {} : { folder }), ...more }).toString()}`,
  duplicates: '/duplicates',
  settings: (section?: string) => (section === undefined ? '/settings' : `/settings/${section}`),
  searchByImage: (name: string) => `/search?image=${name}`,
  videoSearch: '/search/video',
  searchByVideo: (name: string) => `${paths.videoSearch}?file=${name}`,
  /** Search by an item, or by one moment (seconds) or chunk of it. */
  searchLike: (media: string, where: { at?: number; chunk?: string } = {}) =>
    `/search?like=${media}${where.at === undefined ? '' : `&at=${where.at.toFixed(2)}`}${where.chunk === undefined ? '' : `&chunk=${where.chunk}`}`,
  signIn: '/sign-in',
  join: '/join',
};

/** Milliseconds are enough to name a frame; zeros at the end say nothing. */
function writeSeconds(seconds: number): string {
  return String(Number(seconds.toFixed(3)));
}
