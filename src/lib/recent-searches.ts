import { readText, storeText, useStoredText } from './stored-state.ts';

const name = 'recent-searches';
const most = 10;

function parse(text: string | null): string[] {
  try {
    const list = JSON.parse(text ?? '[]') as unknown;
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

/** What was searched for in this browser, the latest first, and how to forget it. */
export function useRecentSearches(): [string[], () => void] {
  const [text] = useStoredText(name);
  return [parse(text), forgetSearches];
}

export const forgetSearches = (): void => storeText(name, null);

/** Forgets one of them. */
export function forgetSearch(query: string): void {
  const others = parse(readText(name)).filter((other) => other !== query);
  storeText(name, others.length > 0 ? JSON.stringify(others) : null);
}

export function rememberSearch(query: string): void {
  const others = parse(readText(name)).filter((other) => other.toLowerCase() !== query.toLowerCase());
  storeText(name, JSON.stringify([query, ...others].slice(0, most)));
}
