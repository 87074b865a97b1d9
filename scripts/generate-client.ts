import path from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import type { Json } from '../contract/json-schema.ts';
import { describeApi, describeDashboardApi } from '../contract/openapi.ts';

/**
 * Writes the dashboard's two clients from the OpenAPI documents: types, a function for each operation, and the options and keys of
 * TanStack Query. They are not kept in git, so they are never out of date.
 */

const folder = path.join(import.meta.dirname, '..', 'src', 'api');
/** Operations that only read, although their method is POST. */
const readByPost = new Set(['searchMediaByImage', 'readInvitation']);

await generate('api', describeApi('', ''));
await generate('dashboard', describeDashboardApi('', ''));

async function generate(name: 'api' | 'dashboard', document: Json): Promise<void> {
  await createClient({
    input: withoutFailures(document),
    logs: { level: 'silent', file: false },
    output: {
      path: path.join(folder, 'generated', name),
      fileName: { suffix: null },
      module: {
        extension: '.ts',
        // Both clients run on our own `fetch-client.ts`.
        resolve: (module) => (module === '@hey-api/client-fetch' ? '../../fetch-client.ts' : undefined),
      },
    },
    parser: { hooks: { operations: { isQuery: ({ id }) => (readByPost.has(id) ? true : undefined) } } },
    plugins: [
      { name: '@hey-api/client-fetch', bundle: false, throwOnError: true },
      '@hey-api/typescript',
      // Which operations take a key, the client knows.
      { name: '@hey-api/sdk', auth: false, responseStyle: 'data' },
      {
        name: '@tanstack/react-query',
        includeInEntry: true,
        infiniteQueryKeys: false,
        infiniteQueryOptions: false,
        queryKeys: { tags: true },
        queryOptions: { meta: (operation) => ({ path: operation.path }) },
      },
    ],
  });
}

/** Leaves out the responses that report a failure: `src/api/client.ts` throws an `ApiError` for each. */
function withoutFailures(document: Json): Json {
  const paths = Object.entries(document['paths'] as Record<string, Record<string, { responses: Json }>>);
  const successful = (responses: Json) => Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...document,
    paths: Object.fromEntries(
      paths.map(([url, operations]) => [
        url,
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => [
            method,
            { ...operation, responses: Object.fromEntries(successful(operation.responses)) },
          ]),
        ),
      ]),
    ),
  };
}
