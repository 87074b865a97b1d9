import { expect, test } from 'vitest';
import { paths } from '../../paths.ts';
import { isSameView, readView } from './saved-view.ts';

const read = (path: string) => {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  return readView(pathname, searchParams);
};

test.each([
  ['/search?q=blue+%22sea+%26+sky%22&type=video&dedupe=0', 'search'],
  ['/search?q=sea&in=speech%2Csubtitle', 'search'],
  ['/search?like=01a1fbe4&at=12.50&from=2026-06-01', 'search'],
  ['/highlights?method=lof&view=map', 'highlights'],
  ['/?tag=01a1fbe4&sort=-size', 'library'],
  ['/', 'library'],
])('%s is saved and opened as it was', (path, page) => {
  const view = read(path);
  expect(view?.page).toBe(page);
  expect(view && paths.saved(view)).toBe(path);
});

test('what is open at the moment is not saved', () => {
  expect(read('/search?q=sea&hit=a&t=3.5&similar=b')).toEqual({ page: 'search', parameters: { q: 'sea' } });
  expect(read('/highlights?view=map&box=0,0,1,1&type=')).toEqual({ page: 'highlights', parameters: { view: 'map' } });
});

test.each(['/search?image=1', '/settings', '/media/01a1fbe4'])('%s cannot be saved', (path) => {
  expect(read(path)).toBeNull();
});

test('views are the same by page and parameters, not by their order', () => {
  const view = { page: 'search', parameters: { q: 'sea', type: 'video' } } as const;
  expect(isSameView(read('/search?type=video&q=sea&hit=x'), view)).toBe(true);
  expect(isSameView(read('/search?type=image&q=sea'), view)).toBe(false);
  expect(isSameView(read('/search?q=sea'), view)).toBe(false);
  expect(isSameView(read('/?type=video&q=sea'), view)).toBe(false);
  expect(isSameView(null, view)).toBe(false);
});
