/** The longest query that the service takes, in characters as people count them: an emoji is one. */
export const maxQueryLength = 500;

export const queryLength = (query: string): number => Array.from(query.trim()).length;

export const isTooLong = (query: string): boolean => queryLength(query) > maxQueryLength;

/** What is said of a query that is longer. */
export const tooLongSentence = `The search is too long: ${maxQueryLength} characters at most.`;
