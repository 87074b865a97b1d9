import { expect, test } from 'vitest';
import { basePath } from '../../contract/base-path.ts';
import { exampleOf } from '../../contract/json-schema.ts';
import { operations } from '../../contract/operations.ts';
import { checkResponse } from './openapi-checker.ts';

const url = `http://localhost${basePath}/media`;
const headers = { 'X-Request-Id': '1', 'WWW-Authenticate': 'Bearer' };
const [item] = exampleOf(operations.listMedia.data) as [Record<string, object>];
const list = { success: true, data: [item], meta: exampleOf(operations.listMedia.meta) as object };
const error = { code: 'missing_api_key', message: 'Send your API key.', details: [{ path: 'a', message: 'b' }] };

const check = (status: number, body: unknown) => () =>
  checkResponse('GET', url, new Response(null, { status, headers }), body);

test('responses that hold what the document names pass', () => {
  expect(check(200, list)).not.toThrow();
  expect(check(401, { success: false, error })).not.toThrow();
});

const more = { column: 1 };

test.each([
  ['data', 200, { ...list, data: [{ ...item, ...more }] }],
  ['an object within data', 200, { ...list, data: [{ ...item, progress: { stage: 'queued', fraction: 0, ...more } }] }],
  ['meta', 200, { ...list, meta: { ...list.meta, ...more } }],
  ['the envelope', 200, { ...list, ...more }],
  ['an error', 401, { success: false, error: { ...error, ...more } }],
  [
    'a detail of an error',
    401,
    { success: false, error: { ...error, details: [{ path: 'a', message: 'b', ...more }] } },
  ],
  ['the envelope of an error', 401, { success: false, error, ...more }],
])('a column more in %s fails', (_, status, body) => {
  expect(check(status, body)).toThrow(/must NOT have additional properties/);
});
