import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../contract/json-schema.ts';
import { describeApi, describeDashboardApi } from '../contract/openapi.ts';

const root = path.join(import.meta.dirname, '..');
const folder = path.join(root, 'src', 'api', 'generated');
/** Operations that only read, although their method is POST. */
const readByPost = new Set(['searchMediaByImage', 'readInvitation']);

/**
 * Writes the dashboard's two clients from the OpenAPI documents: types, a function for each operation, and the options and keys of
 * TanStack Query. They are not kept in git. Nothing is written while documents, generator and this script are as before: several
 * commands that run at once would take each other's files away.
 */
export async function generateClient(): Promise<void> {
  const documents = { api: describeApi('', ''), dashboard: describeDashboardApi('', '') };
  const source = createHash('sha256')
    .update(JSON.stringify(documents))
    .update(readFileSync(path.join(root, 'scripts', 'generate-client.ts')))
    .update(readFileSync(path.join(root, 'node_modules', '@hey-api', 'openapi-ts', 'package.json')))
    .digest('hex');
  const sourceFile = path.join(folder, 'source.sha256');
  if (readIfThere(sourceFile) === source) return;
  // A run that is interrupted leaves files of two documents: without this one they are generated again.
  rmSync(sourceFile, { force: true });
  await generate('api', documents.api);
  await generate('dashboard', documents.dashboard);
  writeFileSync(sourceFile, source);
}

if (import.meta.main) await generateClient();

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function generate(name: 'api' | 'dashboard', document: Json): Promise<void> {
  // Takes half a second to load, so only when there is something to do.
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input: withoutFailures(document),
    logs: { level: 'silent', file: false },
    output: {
      path: path.join(folder, name),
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
