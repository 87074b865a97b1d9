import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../testing/running-service.ts';

/** Guesses a sign-in link as a client whose address a proxy, or the client itself, names. */
async function guess(url: string, forwardedFor: string): Promise<number> {
  const answer = await fetch(`${url}/auth/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': forwardedFor },
    body: JSON.stringify({ token: 'guess' }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function serversOf(url: string): Promise<string | undefined> {
  const headers = { 'X-Forwarded-Host': 'elsewhere.example', 'X-Forwarded-Proto': 'https' };
  const response = await new Promise<NodeJS.ReadableStream>((resolve) => {
    request(`${url}/api/v1/openapi.json`, { headers }, resolve).end();
  });
  return ((await json(response)) as { servers: { url: string }[] }).servers[0]?.url;
}

describe('the IP address, host and scheme in X-Forwarded headers', () => {
  test('are ignored without a trusted proxy', async () => {
    await using service = await startTestService({ workers: 0 });
    for (let i = 0; i < 50; i++) expect(await guess(service.url, `192.0.2.${i}`)).toBe(401);
    expect(await guess(service.url, '192.0.2.99')).toBe(429);
    expect(await serversOf(service.url)).toBe(`${service.url}/api/v1`);
  });

  test('are used from a trusted proxy; of several IP addresses only the one that it added', async () => {
    await using service = await startTestService({ workers: 0, trustedProxies: ['127.0.0.0/8'] });
    for (let i = 0; i < 50; i++) expect(await guess(service.url, `203.0.113.${i}, 192.0.2.1`)).toBe(401);
    expect(await guess(service.url, '203.0.113.99, 192.0.2.1')).toBe(429);
    expect(await guess(service.url, '203.0.113.99, 192.0.2.2')).toBe(401);
    expect(await serversOf(service.url)).toBe('https://elsewhere.example/api/v1');
  });

  test('are ignored from any other proxy', async () => {
    await using service = await startTestService({ workers: 0, trustedProxies: ['10.0.0.0/8'] });
    expect(await serversOf(service.url)).toBe(`${service.url}/api/v1`);
  });
});
