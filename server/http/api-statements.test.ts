import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');

test('every statement in api-statements.md names a test that exists', () => {
  const text = readFileSync(path.join(import.meta.dirname, 'api-statements.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (.+?) +\| `([\w./-]+\.test\.ts)`: (.+?) +\|$/gm)];
  expect(rows.length).toBeGreaterThan(80);
  for (const [, statement = '', file = '', title = ''] of rows) {
    const code = readFileSync(path.join(root, file), 'utf8').replaceAll(/\\(['"])/g, '$1');
    expect(code.includes(title), `${statement}: ${file} has no test "${title}"`).toBe(true);
  }
});
