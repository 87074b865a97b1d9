import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BundledWork, listFFmpeg, listLibvips, listOthers, listPackages } from './bundled-works.ts';

/** Writes the part of NOTICE that tells of the installed packages and of what their binaries hold: `npm run notice` after each change of them. */

const file = path.join(import.meta.dirname, '..', 'NOTICE');
const begin = 'Packages that npm installs, and what their binaries hold (written by npm run notice):\n';
const end = '\nMIT License\n';

/** What NOTICE has to be with what is installed now. */
export function describeNotice(): string {
  const text = readFileSync(file, 'utf8');
  const from = text.includes(begin) ? text.indexOf(begin) : text.indexOf(end) + 1;
  const to = text.indexOf(end, from - 1);
  if (from < 0 || to < 0) throw new Error('NOTICE has no place for the packages.');
  return `${text.slice(0, from)}${describeInstalled()}\n${text.slice(to)}`;
}

function describeInstalled(): string {
  const groups = Map.groupBy(listPackages(), ({ license }) => license);
  const lists = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([license, packages]) => {
      const names = packages.map(({ name, version }) => `${name} ${version}`);
      return `${license}\n${wrap(names.join(', '))}`;
    });
  return [
    begin,
    'FFmpeg and the libraries linked with it, in @seydx/node-av-…, whose own code is under the MIT License:\n',
    listWorks(listFFmpeg()),
    '\nlibvips and the libraries linked with it, in @img/sharp-libvips-…:\n',
    listWorks(listLibvips()),
    '\nIn other packages:\n',
    listWorks(listOthers()),
    '\nThe packages by the licence that they name. Each holds the text of it, and the names of its authors; node_modules/<name> is its folder:\n',
    lists.join('\n\n'),
    '\nThe dashboard holds parts of further packages; dist/licenses.md, which each build writes and the service serves, has their licences.\n',
  ].join('\n');
}

function listWorks(works: BundledWork[]): string {
  return works
    .map(
      ({ name, version, license, source }) =>
        `   ${[name, version].filter(Boolean).join(' ')}: ${license}${source && `, ${source}`}`,
    )
    .join('\n');
}

/** Breaks a text into indented lines of at most 140 characters. */
function wrap(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > 136) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `   ${line}`).join('\n');
}

if (import.meta.main) writeFileSync(file, describeNotice());
