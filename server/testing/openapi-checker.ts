import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { basePath } from '../../contract/base-path.ts';
import { dashboardOperations } from '../../contract/dashboard-operations.ts';
import type { Json } from '../../contract/json-schema.ts';
import { describeApi, describeDashboardApi } from '../../contract/openapi.ts';
import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';

/**
 * Holds real responses against the OpenAPI documents. The clients of the tests send every answer through it, so each test is
 * a replay of the documents as well.
 */

/** The document of the API for keys, or of that for sessions of the dashboard. */
type DocumentName = 'api' | 'dashboard';

type DescribedOperation = { id: string; operation: Operation; document: DocumentName; pattern: RegExp };

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const documents: Record<DocumentName, Json> = {
  api: closeObjects(describeApi('http://localhost')),
  dashboard: closeObjects(describeDashboardApi('http://localhost')),
};
for (const [name, document] of Object.entries(documents)) ajv.addSchema({ ...document, $id: name });

const describedOperations: DescribedOperation[] = [
  ...describeAll(operations, 'api', basePath),
  ...describeAll(dashboardOperations, 'dashboard', ''),
];

function describeAll(
  registry: Record<string, Operation>,
  document: DocumentName,
  prefix: string,
): DescribedOperation[] {
  return Object.entries(registry).map(([id, operation]) => ({
    id,
    operation,
    document,
    pattern: new RegExp(`^${prefix}${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
}

/**
 * The same document for objects that hold what they name and nothing else. The published documents leave objects open, so that clients
 * accept fields of later versions; what this version sends has to be described.
 */
function closeObjects(document: Json): Json {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (value === null || typeof value !== 'object') return value;
    return closeObjects(value as Json);
  };
  const closed = Object.fromEntries(Object.entries(document).map(([key, value]) => [key, close(value)]));
  return closed['type'] === 'object' ? { additionalProperties: false, ...closed } : closed;
}

/** Operations and statuses that real responses had in this process: `getMedia 404`. */
export const seenResponses = new Set<string>();

/** Throws when a response is not as its document says. Paths and methods that no document names must fail in the envelope. */
export function checkResponse(method: string, url: string, response: Response, body: unknown): void {
  const path = new URL(url).pathname;
  // `/media/search` is also of the form `/media/:id`; the literal one is meant.
  const templates = describedOperations
    .filter((each) => each.pattern.test(path))
    .map(({ operation }) => operation.path);
  const template = templates.toSorted((a, b) => a.split(':').length - b.split(':').length)[0];
  const match = describedOperations.find(({ operation }) => operation.path === template && operation.method === method);
  if (!response.headers.get('X-Request-Id')) throw new Error(`${method} ${path} came without X-Request-Id.`);
  if (match) {
    checkHeaders(match, response);
    seenResponses.add(`${match.id} ${response.status}`);
  }
  if (response.status === 304 || (match?.operation.empty && response.ok)) return;
  if (match?.operation.file && response.ok) {
    const type = response.headers.get('Content-Type')?.split(';')[0] ?? 'nothing';
    if (!match.operation.file.includes(type)) throw new Error(`${method} ${path} came as ${type}.`);
    return;
  }
  const validate = match ? validatorOf(match, response.status) : compile('api#/components/schemas/Error');
  if (!validate(body)) {
    const problems = ajv.errorsText(validate.errors);
    throw new Error(`${method} ${path} ${response.status} is not as described: ${problems}\n${JSON.stringify(body)}`);
  }
}

/** Headers that a client relies on in this case. */
function checkHeaders({ id, operation: { access } }: DescribedOperation, { status, headers }: Response): void {
  const needed: Record<number, string[]> = {
    201: access === 'key' ? ['Location'] : [],
    202: access === 'key' ? ['Location'] : [],
    304: ['ETag'],
    401: access === 'key' ? ['WWW-Authenticate'] : [],
    429: ['Retry-After'],
    503: ['Retry-After'],
  };
  for (const name of needed[status] ?? []) {
    if (!headers.get(name)) throw new Error(`${id} ${status} came without ${name}.`);
  }
}

type Schema = { $ref?: string };
type Paths = Record<
  string,
  Record<string, { responses: Record<string, { content: Record<'application/json', { schema: Schema }> }> }>
>;

function validatorOf({ operation, document }: DescribedOperation, status: number): ValidateFunction {
  const template = operation.path.replaceAll(/:(\w+)/g, '{$1}');
  const method = operation.method.toLowerCase();
  const content = (documents[document]['paths'] as Paths)[template]?.[method]?.responses[status]?.content;
  const named = content?.['application/json'].schema.$ref;
  // Errors are nearly all the same schema: compiled for each status of each operation, they would be most of the time.
  if (named !== undefined) return compile(document + named);
  const escape = (text: string) =>
    text.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  return compile(
    `${document}#/paths/${escape(template)}/${method}/responses/${status}/content/${escape('application/json')}/schema`,
  );
}

const compiled = new Map<string, ValidateFunction>();

function compile(reference: string): ValidateFunction {
  const known = compiled.get(reference);
  if (known) return known;
  const validate = ajv.compile({ $ref: reference });
  compiled.set(reference, validate);
  return validate;
}
