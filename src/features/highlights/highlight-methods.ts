/** The ways to tell what is unusual, in words. */
export const highlightMethods = [
  {
    value: 'knn',
    text: 'Most unique',
    about: 'Scenes that differ most from the five most similar to them.',
    title: 'Mean distance to the nearest neighbours (kNN)',
  },
  {
    value: 'lof',
    text: 'Locally rare',
    about: 'Scenes with fewer similar scenes around them than their neighbours have.',
    title: 'Local outlier factor (LOF)',
  },
  {
    value: 'centroid',
    text: 'Atypical',
    about: 'Scenes that differ most from the average of all scenes.',
    title: 'Distance from the centroid',
  },
] as const;

export type HighlightMethod = (typeof highlightMethods)[number]['value'];

/** The method in the URL; the first one when there is none, or none that exists. */
export const readMethod = (search: URLSearchParams): HighlightMethod =>
  highlightMethods.find(({ value }) => value === search.get('method'))?.value ?? 'knn';
