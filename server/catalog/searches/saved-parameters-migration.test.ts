import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { savedParameters } from '../migrations/0045-saved-parameters.ts';
import { createSavedSearch, listSavedSearches } from './saved-searches.ts';

describe.each(backends)('over %s', (backend) => {
  test('saved searches of before hold parameters of the API, also when the migration runs again', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const save = (name: string, page: 'search' | 'library', parameters: Record<string, string>) =>
      createSavedSearch(db, workspaceId, { name, page, parameters, notify: false });
    await save('Words', 'search', {
      q: 'sea',
      written: '1',
      creator: 'c',
      from: '2026-06-01',
      to: '2026-08-31',
      group: '1',
    });
    await save('Like', 'search', { like: 'm', chunk: 'k', at: '2', tag: 't', to: '9999-12-31', from: 'June' });
    await save('Library', 'library', { name: 'Alps', category: 'k', collection: 's', sort: '-size', view: 'months' });
    for (let run = 0; run < 2; run++) {
      await savedParameters.up(db);
      const { rows } = await listSavedSearches(db, workspaceId, { page: 1, per_page: 9 });
      expect(Object.fromEntries(rows.map(({ name, query }) => [name, JSON.parse(query)]))).toEqual({
        Words: {
          q: 'sea',
          as_written: '1',
          creator_id: 'c',
          taken_after: '2026-06-01',
          taken_before: '2026-09-01',
          group: '1',
        },
        Like: { media_id: 'm', chunk_id: 'k', at: '2', tag_id: 't' },
        Library: { q: 'Alps', category_id: 'k', collection_id: 's', sort: '-size', view: 'months' },
      });
    }
  });
});
