import { mkdir } from 'node:fs/promises';
import type { EmbedderReference } from '@media-search/models/embedder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { readTargetEmbedder, setTargetEmbedder } from '../../catalog/embedders.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { createSharedTarget } from './target-choice.ts';

let db: Catalog;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const trials = { tryModel: () => Promise.resolve(512), tryBuiltin: () => Promise.resolve() };
const model: EmbedderReference = {
  kind: 'semantic',
  id: 'tiny@1:q8',
  dimensions: 512,
  folder: '/another/machine/models/tiny',
  family: 'clip',
  precision: 'q8',
};

beforeEach(async () => {
  ({ db } = await openTestCatalog());
  folder = await temporaryFolder();
});

afterEach(async () => {
  await db.destroy();
  await folder[Symbol.asyncDispose]();
});

function target(setting: string) {
  const problems: unknown[] = [];
  const log = { error: (problem: unknown) => void problems.push(problem) };
  const parts = { db, dataDirectory: folder.path, setting, log };
  return { problems, ...createSharedTarget(parts, (work) => work()) };
}

test('a first start chooses by its settings, and those of later processes do not count', async () => {
  const first = await target('descriptors').choose(trials);
  expect(first).toMatchObject({ reference: { kind: 'descriptors' }, problem: null });
  const second = await target('builtin').choose(trials);
  expect(second.reference).toEqual(first.reference);
  expect(await readTargetEmbedder(db)).toEqual(first.reference);
});

test('a machine without the files of the model says which are missing; one that has them loads its own', async () => {
  await setTargetEmbedder(db, model);
  const without = target('auto');
  const { problem } = await without.choose(trials);
  expect(problem).toMatch(/^The model tiny@1:q8 is missing on this machine; .*models.*\.$/);
  expect(without.problems).toEqual([problem]);
  expect(await readTargetEmbedder(db)).toEqual(model);
  await mkdir(folder.file('models/tiny'), { recursive: true });
  const here = { ...model, folder: folder.file('models/tiny') };
  expect(await target('auto').choose(trials)).toEqual({ reference: here, missing: null, problem: null });
  expect(await target('auto').find(model.id)).toEqual(here);
});
