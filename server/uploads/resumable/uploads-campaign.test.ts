import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { waitForExit } from '../../testing/programs.ts';

test('an upload survives cut connections and a killed service, and sends nothing again that was acknowledged', async () => {
  const program = path.join(import.meta.dirname, '..', '..', '..', 'lab', 'reliability', 'uploads.ts');
  const options = ['--seed', '3', '--megabytes', '48', '--cuts', '3', '--kills', '1'];
  const campaign = spawn(process.execPath, [program, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const { code, out, err } = await waitForExit(campaign);
  expect({ code, err }, out).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/1 {2}connections: kill/);
  expect(out).toMatch(/uploads: 0 violations/);
});
