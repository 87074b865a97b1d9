/** The ways to tell what is unusual, in words. */
export const highlightMethods = [
  {
    value: 'knn',
    text: 'Far from others',
    about: 'The farther a clip is from the five most like it, the more unusual.',
  },
  {
    value: 'lof',
    text: 'In sparse company',
    about: 'Unusual is what lies in a sparser neighbourhood than its neighbours do.',
  },
  {
    value: 'centroid',
    text: 'Far from the average',
    about: 'Unusual is what differs most from the average of everything.',
  },
] as const;

export type HighlightMethod = (typeof highlightMethods)[number]['value'];

/** The method in the URL; the first one when there is none, or none that exists. */
export const readMethod = (search: URLSearchParams): HighlightMethod =>
  highlightMethods.find(({ value }) => value === search.get('method'))?.value ?? 'knn';
