import path from 'node:path';
import { expect, test } from 'vitest';
import { StartupError } from './errors/startup-error.ts';
import { parseSettings } from './settings.ts';

test('nothing set gives the documented defaults', () => {
  expect(parseSettings({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    dataDirectory: path.resolve('data'),
    publicUrl: null,
    ocr: 'auto',
    speech: 'auto',
    maxUploadBytes: 20 * 2 ** 30,
    maxVideoSeconds: 86_400,
    maxVideoFrames: 5_184_000,
    requestsPerMinute: 6000,
    allowedAddresses: [],
    trustedProxies: [],
    logLevel: 'warn',
  });
  expect(parseSettings({ PORT: '', HOST: '' })).toMatchObject({ port: 8080, host: '127.0.0.1' });
});

test('a public URL loses its trailing slash', () => {
  expect(parseSettings({ PUBLIC_URL: 'https://media.example.org/' }).publicUrl).toBe('https://media.example.org');
});

test('IP addresses and networks are separated by commas', () => {
  expect(parseSettings({ ALLOWED_ADDRESSES: '10.0.0.0/8, 127.0.0.1,fd00::/8' }).allowedAddresses).toEqual([
    '10.0.0.0/8',
    '127.0.0.1',
    'fd00::/8',
  ]);
});

test.each(['localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', ','])(
  '%s is no list of addresses',
  (list) => {
    expect(() => parseSettings({ ALLOWED_ADDRESSES: list })).toThrow(/must be IP addresses or networks/);
  },
);

test.each([
  [{ PORT: 'http' }, 'The setting PORT=http is wrong: it must be a whole number.'],
  [{ PORT: '70000' }, 'The setting PORT=70000 is wrong: it must be at most 65535.'],
  [{ WORKERS: '0' }, 'The setting WORKERS=0 is wrong: it must be at least 1.'],
  [
    { RERANK_URL: 'http://127.0.0.1:11434/v1' },
    'The settings RERANK_URL and RERANK_MODEL belong together; set both or neither.',
  ],
  [{ MODEL_HUB: 'hub' }, 'The setting MODEL_HUB=hub is wrong: it must be an http or https URL.'],
  [{ PUBLIC_URL: 'ftp://x' }, 'The setting PUBLIC_URL=ftp://x is wrong: it must be an http or https URL.'],
  [
    { EMBEDDER: 'clip' },
    'The setting EMBEDDER=clip is wrong: it must be auto, builtin, descriptors, siglip-base-patch16-224, siglip2-base-patch16-224, siglip2-large-patch16-256, siglip2-so400m-patch16-256, embeddinggemma-2, clip-vit-base-patch32, or a folder (with a / in it).',
  ],
  [
    { SPEECH: 'whisper' },
    'The setting SPEECH=whisper is wrong: it must be auto, off, whisper-base, whisper-small, or a folder (with a / in it).',
  ],
  // Neither names the password.
  [
    { DATABASE_URL: 'mysql://user:password@host/media' },
    'The setting DATABASE_URL is wrong: it must be postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
  ],
  [
    { DATABASE_URL: 'postgres://user:password@host' },
    'The setting DATABASE_URL is wrong: it must name a database, as in postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
  ],
  [{ MAX_UPLOAD_BYTES: '1.5' }, 'The setting MAX_UPLOAD_BYTES=1.5 is wrong: it must be a whole number.'],
])('%j is refused in one sentence', (variables, sentence) => {
  expect(() => parseSettings(variables)).toThrow(new StartupError(sentence));
});

test('the secret key is in the data folder unless it is said where', () => {
  expect(parseSettings({ DATA_DIR: '/data' }).secretKeyFile).toBe('/data/secret.key');
  expect(parseSettings({ DATA_DIR: '/data', SECRET_KEY_FILE: '/run/secrets/key' }).secretKeyFile).toBe(
    '/run/secrets/key',
  );
});

test('a process with a role logs requests, and an API process is given time to be left out', () => {
  const shared = { DATABASE_URL: 'postgres://user@host/media' };
  expect(parseSettings({})).toMatchObject({ role: 'all', logLevel: 'warn', drainSeconds: 0 });
  expect(parseSettings({ ...shared, ROLE: 'api' })).toMatchObject({ role: 'api', logLevel: 'info', drainSeconds: 5 });
  expect(parseSettings({ ...shared, ROLE: 'worker', DRAIN_SECONDS: '2' })).toMatchObject({ drainSeconds: 2 });
});
