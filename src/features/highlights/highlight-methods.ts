/** The ways to tell what is unusual, in words. What a person chooses between comes first; the last is there for addresses and saved searches. */
export const highlightMethods = [
  {
    value: 'knn',
    text: 'Overall',
    about: 'Moments that look least like everything else in the library.',
    details: 'Mean distance to the five nearest neighbours (kNN)',
  },
  {
    value: 'lof',
    text: 'Among similar',
    about: 'Moments that differ from those around them, such as the one red car among many blue ones.',
    details: 'Local outlier factor (LOF) by twenty neighbours',
  },
  {
    value: 'centroid',
    text: 'From the average',
    about: 'Moments that differ most from the average of the whole library.',
    details: 'Distance from the mean of all (centroid)',
  },
] as const;

export type HighlightMethod = (typeof highlightMethods)[number]['value'];

/** The method in the URL; the first one when there is none, or none that exists. */
export const readMethod = (search: URLSearchParams): HighlightMethod =>
  highlightMethods.find(({ value }) => value === search.get('method'))?.value ?? 'knn';

/** The methods that the control offers: the two that anybody understands, and the one in use. */
export const offeredMethods = (used: HighlightMethod) =>
  highlightMethods.filter(({ value }) => value !== 'centroid' || value === used);
