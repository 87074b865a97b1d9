import { expect, test } from 'vitest';
import { toSafeName } from './safe-name.ts';

test.each([
  ['harbour at night.mp4', 'harbour at night.mp4'],
  ['東京タワー 👩‍👩‍👧.mp4', '東京タワー 👩‍👩‍👧.mp4'],
  ['../../etc/passwd', '__.._etc_passwd'],
  [String.raw`..\..\boot.ini`, '__.._boot.ini'],
  ['/root/.ssh/authorized_keys', '_root_.ssh_authorized_keys'],
  ['C:evil.exe', 'C_evil.exe'],
  ['.bashrc', '_bashrc'],
  ['..', '_'],
  ['.', '_'],
  ['', '_'],
  ['-rf', '_rf'],
  ['a\u0000b\u001b[2J\n.mp4', 'a_b_[2J_.mp4'],
  ['gpj.\u202eexe', 'gpj._exe'],
  ['con.mp4', '_con.mp4'],
  ['LPT1', '_LPT1'],
  ['console.mp4', 'console.mp4'],
  ['trailing. .', 'trailing_'],
])('%j is saved as %j', (name, safe) => {
  expect(toSafeName(name)).toBe(safe);
});

test('a long name is cut before its extension, between characters', () => {
  const safe = toSafeName(`${'東'.repeat(300)}.mp4`);
  expect(safe).toBe(`${'東'.repeat(65)}.mp4`);
});
