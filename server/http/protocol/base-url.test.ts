import { expect, test } from 'vitest';
import { getBaseUrl } from './requests.ts';

test.each([
  ['what the client used', 'http', 'localhost:8080', 'http://localhost:8080'],
  ['what a proxy says', 'https', 'media.example.org', 'https://media.example.org'],
  ['http for any other scheme', '0', 'media.example.org', 'http://media.example.org'],
  ['http for a scheme that runs scripts', 'javascript', 'media.example.org', 'http://media.example.org'],
  ['the header Host where a proxy names no host', 'https', 'a b', 'https://localhost:8080'],
  ['no path', 'http', 'media.example.org/elsewhere', 'http://media.example.org'],
  ['no name and password', 'http', 'a:b@media.example.org', 'http://media.example.org'],
])('addresses begin with %s', (_, protocol, host, expected) => {
  expect(getBaseUrl({ protocol, host, headers: { host: 'localhost:8080' } } as never, null)).toBe(expected);
});

test('a configured URL takes precedence', () => {
  const request = { protocol: 'http', host: 'localhost', headers: {} } as never;
  expect(getBaseUrl(request, 'https://media.example.org/search')).toBe('https://media.example.org/search');
});
