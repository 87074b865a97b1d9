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

test('a view is saved by the parameters of the API', () => {
  expect(
    read('/search?q=sea&written=1&creator=c1&from=2026-06-01&to=2026-08-31&rating_min=3&group=1')?.parameters,
  ).toEqual({
    q: 'sea',
    as_written: '1',
    creator_id: 'c1',
    taken_after: '2026-06-01',
    taken_before: '2026-09-01',
    rating_min: '3',
    group: '1',
  });
  expect(read('/search?like=m1&chunk=k1&type=none')?.parameters).toEqual({ media_id: 'm1', chunk_id: 'k1' });
  expect(read('/?name=Alps&collection=s1&view=months')?.parameters).toEqual({
    q: 'Alps',
    collection_id: 's1',
    view: 'months',
  });
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
