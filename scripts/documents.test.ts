import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listDocuments, readBlocks, repository } from './document-blocks.ts';
import { describeSettings } from './write-settings.ts';

/** Documents, and programs whose first comment says how they are run. */
const files = globSync(['*.md', '{docs,lab/training,packages,clients,deploy}/**/*.{md,yaml}', 'lab/**/*.{ts,py}'], {
  cwd: repository,
  exclude: ['**/node_modules/**', '**/dist/**', 'CHANGELOG.md'],
});

/** A program in TypeScript that is given to `node`, with what stands before it on the line. */
const command = /^(.*?)\bnode (?:--? ?\S* )*?([\w./-]+\.m?ts)\b/;

/** The commands of a text that run a program in TypeScript, which needs Node 24. */
function findCommands(text: string): { before: string; program: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, before = '', program = ''] = command.exec(line) ?? [];
    return program === '' ? [] : [{ before, program }];
  });
}

/** Whether `node` is not simply the machine's: npm's, or that of the image. */
const isRightNode = (before: string): boolean =>
  before.endsWith('npm run ') || before.endsWith('npm run --silent ') || before.includes('docker compose exec');

test('a command that needs Node 24 is told from one that runs on every Node', () => {
  const found = findCommands(
    ['node lab/bench/x.ts --a', 'npm run node -- lab/bench/x.ts', 'node receiver.mjs', 'exec node --watch a/b.ts'].join(
      '\n',
    ),
  );
  expect(found.map(({ before, program }) => [isRightNode(before), program])).toEqual([
    [false, 'lab/bench/x.ts'],
    [true, 'lab/bench/x.ts'],
    [false, 'a/b.ts'],
  ]);
});

test('every documented command runs on a machine that has an old Node, and names a program that is there', () => {
  const commands = files.flatMap((file) =>
    findCommands(readFileSync(path.join(repository, file), 'utf8')).map((found) => ({ file, ...found })),
  );
  expect(commands.length).toBeGreaterThan(50);
  const wrong = commands.filter(
    ({ before, program }) => !isRightNode(before) || !existsSync(path.join(repository, program)),
  );
  expect(wrong.map(({ file, before, program }) => `${file}: ${before}node ${program}`)).toEqual([]);
});

const read = (document: string): string => readFileSync(path.join(repository, document), 'utf8');

/** A document without its fenced blocks. */
const readProse = (document: string): string =>
  read(document)
    .replaceAll(/^( *)```.*?^ *```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]]/g, ''));

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (document: string): string[] =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The links of a document that lead nowhere. */
const findBrokenLinks = (document: string): string[] =>
  [...readProse(document).matchAll(/\]\(([^)\s<]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [name = '', anchor] = target.split('#');
    const file = name === '' ? document : path.posix.join(path.posix.dirname(document), name);
    if (!existsSync(path.join(repository, file))) return [`${document}: ${target}`];
    const isKnown = anchor === undefined || !file.endsWith('.md') || anchorsOf(file).includes(anchor);
    return isKnown ? [] : [`${document}: ${target}`];
  });

test('every link of every document leads to a file and a heading that exist', () => {
  expect(listDocuments().flatMap(findBrokenLinks)).toEqual([]);
});

/** The files and folders of the repository that a document names in code. */
const findNamedPaths = (document: string): string[] =>
  [
    ...read(document)
      .replaceAll(/^( *)```.*?^ *```$/gms, '')
      .matchAll(/`((?:clients|contract|deploy|e2e|lab|packages|scripts|server|src)\/[^`\s<>*{}…]*)`/g),
  ].map(([, name = '']) => name);

test('every file and folder that a document names is there', () => {
  const named = listDocuments()
    .filter((document) => document !== 'CHANGELOG.md')
    .flatMap((document) => findNamedPaths(document).map((name) => ({ document, name })));
  expect(named.length).toBeGreaterThan(100);
  const missing = named.filter(({ name }) => !existsSync(path.join(repository, name)));
  expect(missing.map(({ document, name }) => `${document}: ${name}`)).toEqual([]);
});

test('docs/settings.md says what the settings are: npm run settings brings it up to date', () => {
  expect(read('docs/settings.md')).toBe(describeSettings());
});

test('docs/dependencies.md names every direct dependency', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(repository, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const page = read('docs/dependencies.md');
  const isNamed = (name: string) => [name, name.replace(/^@[^/]+\//, '')].some((said) => page.includes(`\`${said}\``));
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !/^@(?:types|media-search)\//.test(name) && !isNamed(name))).toEqual([]);
});

test('no table is padded by spaces', () => {
  const padded = listDocuments().flatMap((document) => {
    const blocks = readBlocks(document).map(({ text }) => text);
    return read(document)
      .split('\n')
      .filter((line) => /^ *\|.*(?:[^|\s] {2,}\||-{4,})/.test(line.replaceAll(/`[^`]*`/g, 'code')))
      .filter((line) => !blocks.some((text) => text.includes(line.trim())))
      .map((line) => `${document}: ${line.slice(0, 80)}`);
  });
  expect(padded).toEqual([]);
});

test('the documents fit what one person reads', () => {
  const documents = listDocuments().filter((name) => /^(?:docs\/.*|README|CONTRIBUTING|SECURITY)\.md$/.test(name));
  const size = (names: string[]) => names.reduce((sum, name) => sum + Buffer.byteLength(read(name)), 0);
  expect(size(['docs/benchmarks.md'])).toBeLessThanOrEqual(20_000);
  expect(size(['docs/dependencies.md'])).toBeLessThanOrEqual(18_000);
  expect(size(documents)).toBeLessThanOrEqual(268_000);
});
