import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listDocuments, readBlocks, repository } from './document-blocks.ts';

/** The test that runs every shell block of a document which is not marked with a reason why it does not run. */
const runners: Record<string, string> = {
  'README.md': 'server/operations/admin/documented-commands.test.ts',
  'docs/api.md': 'server/http/api-walkthrough.test.ts',
  'docs/cli.md': 'clients/cli/docs.test.ts',
  'docs/models.md': 'server/operations/admin/documented-commands.test.ts',
  'docs/operations.md': 'server/operations/admin/documented-commands.test.ts',
  'docs/webhooks.md': 'server/messaging/webhooks/webhooks-docs.test.ts',
};

const blocks = listDocuments().flatMap(readBlocks);

test('every shell block of every document is run by a test, or says why it is not', () => {
  expect(blocks.length).toBeGreaterThan(80);
  const run = blocks.filter(({ language, notRun }) => language === 'sh' && notRun === undefined);
  expect([...new Set(run.map(({ document }) => document))]).toEqual(Object.keys(runners));
  for (const [document, file] of Object.entries(runners)) {
    expect(readFileSync(path.join(repository, file), 'utf8'), file).toContain(`runDocument('${document}'`);
  }
});

test.each(listDocuments())('every fence of %s belongs to a block that is seen', (document) => {
  const fences = readFileSync(path.join(repository, document), 'utf8').match(/^[ \t]*(?:```|~~~)/gm) ?? [];
  expect(fences.length).toBe(2 * readBlocks(document).length);
});

test('a reason says what the block needs', () => {
  const reasons = blocks.flatMap(({ notRun }) => (notRun === undefined ? [] : [notRun]));
  expect(reasons.length).toBeGreaterThan(10);
  expect(reasons.filter((reason) => !/^needs [\w, ]{6}/.test(reason))).toEqual([]);
  // A mark that is not in front of a block would be about nothing.
  const marks = listDocuments().map(
    (document) => readFileSync(path.join(repository, document), 'utf8').match(/^ *<!-- not run:/gm)?.length ?? 0,
  );
  expect(marks.reduce((sum, count) => sum + count, 0)).toBe(reasons.length);
});

test('no block of commands hides as one of another language', () => {
  const command =
    /^(?:ask|cd|claude|curl|docker|export|git|kubectl|make|media-search|node|npm|npx|pip|python3?|sudo|[A-Z_]+=\S+ npm) /m;
  const hidden = blocks.filter(
    ({ language, text, notRun }) =>
      ['bash', 'shell', 'console', 'zsh'].includes(language) ||
      (['', 'text'].includes(language) && notRun === undefined && command.test(text)),
  );
  expect(hidden.map(({ document, line }) => `${document}:${line}`)).toEqual([]);
});
