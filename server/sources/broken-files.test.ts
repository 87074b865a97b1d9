import { writeFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { type AssetStore, original } from '../assets/asset-store.ts';
import { describeRoot } from './describe-root.ts';
import { withSources } from './source-assets.ts';
import { walkFolder } from './walk-folder.ts';

/** What the system says of paths that end so. */
const broken = vi.hoisted(() => new Map<string, string>());
vi.mock('node:fs/promises', async (load) => {
  const real = await load<{ lstat: (file: string, ...rest: []) => Promise<unknown> }>();
  const lstat = (file: string, ...rest: []) => {
    const code = [...broken].find(([end]) => file.endsWith(end))?.[1];
    return code === undefined ? real.lstat(file, ...rest) : Promise.reject(Object.assign(new Error(code), { code }));
  };
  return { ...real, lstat };
});
afterEach(() => broken.clear());

async function setUp() {
  const folder = await temporaryFolder();
  const root = folder.path;
  for (const name of ['a.jpg', 'b.jpg']) await writeFile(folder.file(name), 'bytes');
  const before = JSON.stringify({ ...(await describeRoot(root)), mounts: [] });
  const { withLocalCopy } = withSources<Pick<AssetStore, 'withLocalCopy'>>(
    { withLocalCopy: () => Promise.reject(new Error('It is not stored.')) },
    {
      dataDirectory: '/none',
      findSource: () =>
        Promise.resolve({
          name: 'NAS',
          kind: 'folder',
          location: root,
          root: before,
          problem_code: null,
          problem_message: null,
        }),
      buckets: { withLocalCopy: () => Promise.reject(new Error('It is no bucket.')) },
    },
  );
  return {
    root,
    read: (name: string) =>
      withLocalCopy(original({ workspace_id: 'w', id: 'i', source_id: 's', source_path: name }), () =>
        Promise.resolve('read'),
      ),
    async list() {
      const paths: string[] = [];
      for await (const { files, problems } of walkFolder({ root, dataDirectory: '/none', include: [], exclude: [] }))
        paths.push(...[...files, ...problems].map(({ path }) => path));
      return paths;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test.each([
  ['EACCES', 'The service may not read the original'],
  ['EIO', 'reports an error for the original'],
])('a file that cannot be read (%s) is a fault of the file where its source is there', async (code, message) => {
  await using t = await setUp();
  broken.set('a.jpg', code);
  await expect(t.read('a.jpg')).rejects.toMatchObject({
    code: 'original_missing',
    message: expect.stringContaining(message),
  });
  expect(await t.read('b.jpg')).toBe('read');
  expect(await t.list()).toEqual(['b.jpg', 'a.jpg']);
});

test('a source whose disk fails is away, and none of its files is taken as broken', async () => {
  await using t = await setUp();
  broken.set('a.jpg', 'EIO').set(t.root, 'EIO');
  await expect(t.read('a.jpg')).rejects.toMatchObject({ code: 'source_offline' });
  await expect(t.list()).rejects.toMatchObject({ code: 'EIO' });
});
