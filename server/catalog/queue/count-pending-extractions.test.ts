import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { createWorkspace } from '../accounts/workspaces.ts';
import { countPendingExtractions, failExtraction } from '../texts/text-extractions.ts';
import { enqueueExtractions } from './extraction-jobs.ts';

describe.each(backends)('over %s', (backend) => {
  test('items whose texts are not read yet are counted by source and workspace', async () => {
    await using t = await openTestCatalog(backend);
    const [first, second] = [await t.add(), await t.add()];
    await enqueueExtractions(t.db, first, ['ocr', 'speech']);
    await enqueueExtractions(t.db, second, ['speech']);
    expect(await countPendingExtractions(t.db, t.workspaceId)).toEqual({ ocr: 1, speech: 2 });
    await failExtraction(t.db, first, 'speech', 'The file cannot be read.');
    expect(await countPendingExtractions(t.db, t.workspaceId)).toEqual({ ocr: 1, speech: 1 });
    const other = await createWorkspace(t.db, createSecrets(new Uint8Array(32)), {
      workspace: 'Other',
      owner: 'Tester',
    });
    expect(await countPendingExtractions(t.db, other.id)).toEqual({ ocr: 0, speech: 0 });
  });
});
