import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repository } from './document-blocks.ts';

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
