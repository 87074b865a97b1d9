import { expect, test } from 'vitest';
import { issueApiKey } from '../../catalog/accounts/api-keys.ts';
import { createTestClient, startTestService } from '../../testing/running-service.ts';

test('each key has a limit of requests a minute, reported in every response', async () => {
  await using service = await startTestService({ workers: 0, requestsPerMinute: 5 });
  const { client, db, secrets, url, workspaceId } = service;
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.get('/workspace')));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  for (const { headers, status, error } of answers) {
    expect(headers.get('RateLimit-Policy')).toBe('"default";q=5;w=60');
    expect(headers.get('RateLimit')).toMatch(status === 429 ? /^"default";r=0;t=\d+$/ : /^"default";r=[0-4];t=\d+$/);
    if (status === 200) continue;
    expect(error.code).toBe('throttled');
    const seconds = Number(headers.get('Retry-After'));
    expect(seconds > 0 && seconds <= 60).toBe(true);
  }
  // Another key of the same workspace has its own.
  const second = await issueApiKey(db, secrets, workspaceId);
  expect((await createTestClient(url, second.key).get('/workspace')).status).toBe(200);
  // An invalid key uses up no limit.
  for (let i = 0; i < 10; i++)
    expect((await createTestClient(url, 'service_wrong').get('/workspace')).status).toBe(401);
});

test('without a limit there are no rate limit headers', async () => {
  await using service = await startTestService({ workers: 0, requestsPerMinute: 0 });
  expect((await service.client.get('/workspace')).headers.get('RateLimit')).toBeNull();
});
