import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listFFmpeg, listPackages } from './bundled-works.ts';
import { describeNotice } from './write-notice.ts';

const isUsual = process.platform === 'linux' && process.arch === 'x64';

test.runIf(isUsual)('NOTICE names what is installed: npm run notice brings it up to date', () => {
  expect(readFileSync(path.join(import.meta.dirname, '..', 'NOTICE'), 'utf8')).toBe(describeNotice());
});

test('the licence of FFmpeg is that of its build, and libraries with terms of their own are named', () => {
  const [ffmpeg, ...libraries] = listFFmpeg();
  expect(ffmpeg).toMatchObject({ name: 'FFmpeg', license: 'GPL-3.0-or-later' });
  const named = ['libx264', 'libx265', 'libfdk-aac'];
  // FFTW comes with chromaprint, and no switch of FFmpeg names it.
  expect(libraries.map(({ name }) => name)).toEqual(expect.arrayContaining([...named, 'FFTW']));
});

test('licences that docs/licensing.md does not tell of are in no package that is installed', () => {
  const page = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'licensing.md'), 'utf8');
  const permissive = /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|\(MIT OR CC0-1\.0\))$/;
  const others = listPackages().filter(({ license }) => !permissive.test(license));
  expect(others.length).toBeGreaterThan(5);
  const untold = others.filter(({ name }) => !page.includes(`\`${name.replace(/^@img\/sharp-.*/, '@img/sharp-…')}\``));
  expect(untold.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
});
