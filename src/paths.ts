/** Every address of the dashboard. */
export const paths = {
  library: '/',
  media: (id: string) => `/media/${id}`,
  search: '/search',
  searchFor: (query: string) => `/search?q=${encodeURIComponent(query)}`,
  signIn: '/sign-in',
  join: '/join',
};
