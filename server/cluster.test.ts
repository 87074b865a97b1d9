import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { waitForExit } from './testing/programs.ts';
import { needsServer, testDatabaseUrl } from './testing/temporary-database.ts';

test.skipIf(testDatabaseUrl === undefined)(
  `two API processes and three workers lose nothing when two of them are killed; ${needsServer}`,
  async () => {
    const program = path.join(import.meta.dirname, '..', 'lab', 'reliability', 'cluster.ts');
    const options = ['--seed', '1', '--seconds', '20', '--kills', '2', '--uploads', '24'];
    const campaign = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
    const { code, out, err } = await waitForExit(campaign);
    expect({ code, err }, out).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/24 {2}acknowledged uploads/);
    expect(out).toMatch(/[12] {2}kills of/);
    expect(out).toMatch(/cluster: 0 violations/);
  },
  240_000,
);
