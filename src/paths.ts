/** The path of every page of the dashboard, with its query. */
export const paths = {
  library: '/',
  media: (id: string) => `/media/${id}`,
  search: '/search',
  searchFor: (query: string) => `/search?q=${encodeURIComponent(query)}`,
  highlights: '/highlights',
  workspace: '/workspace',
  settings: (section?: string) => (section === undefined ? '/settings' : `/settings/${section}`),
  searchByImage: (name: string) => `/search?image=${name}`,
  /** Search by an item, or by one moment (seconds) or chunk of it. */
  searchLike: (media: string, where: { at?: number; chunk?: string } = {}) =>
    `/search?like=${media}${where.at === undefined ? '' : `&at=${where.at.toFixed(2)}`}${where.chunk === undefined ? '' : `&chunk=${where.chunk}`}`,
  signIn: '/sign-in',
  join: '/join',
};
