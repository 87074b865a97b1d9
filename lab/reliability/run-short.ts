import { spawnSync } from 'node:child_process';
import path from 'node:path';

/**
 * The part of the campaigns that goes before each landing: a minute or so, always the same choices. What takes longer, and what
 * measures times (`flood.ts`), is run by hand; see docs/reliability.md.
 *
 *     npm run reliability [-- <program> [options]]
 *
 * With the name of a program, such as `cluster`, only that one runs, at its own length.
 */

const programs: [name: string, ...options: string[]][] = [
  ['fuzz-requests', '--rounds', '250', '--seconds', '5'],
  ['workspace-matrix'],
  ['hang-up', '--rounds', '20', '--seconds', '4'],
  ['hostile-files', '--rounds', '16', '--seconds', '5'],
  ['kill-loop', '--rounds', '2', '--seconds', '8', '--suspend', '0'],
  ['older-catalog', '--rounds', '2', '--seconds', '12'],
];

const [chosen, ...given] = process.argv.slice(2);
const chosenPrograms: typeof programs = chosen === undefined ? programs : [[chosen, ...given]];

const failed: string[] = [];
for (const [name, ...options] of chosenPrograms) {
  const program = path.join(import.meta.dirname, `${name}.ts`);
  const { status } = spawnSync(
    process.execPath,
    [program, ...(chosen === undefined ? ['--seed', '12'] : []), ...options],
    { stdio: 'inherit' },
  );
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
