import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../contract/json-schema.ts';
import { describeApi, describeDashboardApi } from '../contract/openapi.ts';

const root = path.join(import.meta.dirname, '..');
/** The client of the API, a package of its own. */
const clientFolder = path.join(root, 'clients', 'typescript', 'generated');
/** What the dashboard has besides: query options of the API, and the client of its own operations. */
const folder = path.join(root, 'src', 'api', 'generated');
/** Operations that only read, although their method is POST. */
const readByPost = new Set(['searchMediaByImage', 'readInvitation']);

/**
 * Writes the clients from the OpenAPI documents. `clients/typescript/generated` has the types and functions of the API;
 * `src/api/generated/api` adds the options and keys of TanStack Query, `src/api/generated/dashboard` is all of that for the dashboard's own
 * operations. They are not kept in git. Nothing is written while documents, generator and this script are as before: several commands that
 * run at once would take each other's files away.
 */
export async function generateClient(): Promise<void> {
  const documents = { api: describeApi(''), dashboard: describeDashboardApi('') };
  const source = createHash('sha256')
    .update(JSON.stringify(documents))
    .update(readFileSync(path.join(root, 'scripts', 'generate-client.ts')))
    .update(readFileSync(path.join(root, 'node_modules', '@hey-api', 'openapi-ts', 'package.json')))
    .digest('hex');
  const sourceFiles = [folder, clientFolder].map((written) => path.join(written, 'source.sha256'));
  if (sourceFiles.every((file) => readIfThere(file) === source)) return;
  // A run that is interrupted leaves files of two documents: without these they are generated again.
  for (const file of sourceFiles) rmSync(file, { force: true });
  await generate(documents.api, clientFolder, { runtime: '../operations.ts', includeInEntry: false });
  moveQueryOptions();
  await generate(documents.dashboard, path.join(folder, 'dashboard'), {
    runtime: '../../fetch-client.ts',
    includeInEntry: true,
  });
  for (const file of sourceFiles) writeFileSync(file, source);
}

if (import.meta.main) await generateClient();

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The generator writes query options beside the functions that they call. The package has no use for them, so they move to the dashboard,
 * whose client is set before the first of them is called.
 */
function moveQueryOptions(): void {
  const target = path.join(folder, 'api');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const moved = path.join(target, 'react-query.ts');
  renameSync(path.join(clientFolder, '@tanstack', 'react-query.ts'), moved);
  rmSync(path.join(clientFolder, '@tanstack'), { recursive: true });
  const functions = '../../../../clients/typescript/generated';
  writeFileSync(moved, readFileSync(moved, 'utf8').replaceAll("from '../", `from '${functions}/`));
  writeFileSync(
    path.join(target, 'index.ts'),
    [
      "import '../../client.ts';",
      `export * from '${functions}/index.ts';`,
      "export * from './react-query.ts';",
      '',
    ].join('\n'),
  );
}

/**
 * Writes types, functions, and options and keys of TanStack Query.
 * @param runtime what the functions run on, as an import of the folder that is written
 * @param includeInEntry whether the index has the query options too
 */
async function generate(
  document: Json,
  output: string,
  { runtime, includeInEntry }: { runtime: string; includeInEntry: boolean },
): Promise<void> {
  // Takes half a second to load, so only when there is something to do.
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input: withoutFailures(document),
    logs: { level: 'silent', file: false },
    output: {
      path: output,
      fileName: { suffix: null },
      module: {
        extension: '.ts',
        resolve: (module) => (module === '@hey-api/client-fetch' ? runtime : undefined),
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
        includeInEntry,
        infiniteQueryKeys: false,
        infiniteQueryOptions: false,
        queryKeys: { tags: true },
        queryOptions: { meta: (operation) => ({ path: operation.path }) },
      },
    ],
  });
}

type Described = { responses: { [status: string]: { content?: Json } } };

/**
 * Leaves out the responses that report a failure, because an `ApiError` is thrown for each, and the operations that answer with a stream,
 * which have functions of their own (`clients/typescript/events.ts`).
 */
function withoutFailures(document: Json): Json {
  const paths = Object.entries(document['paths'] as Record<string, Record<string, Described>>);
  const successful = ({ responses }: Described) =>
    Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const isStream = (operation: Described) =>
    successful(operation).some(([, { content = {} }]) => 'text/event-stream' in content);
  return {
    ...document,
    paths: Object.fromEntries(
      paths.map(([url, operations]) => [
        url,
        Object.fromEntries(
          Object.entries(operations)
            .filter(([, operation]) => !isStream(operation))
            .map(([method, operation]) => [
              method,
              { ...operation, responses: Object.fromEntries(successful(operation)) },
            ]),
        ),
      ]),
    ),
  };
}
