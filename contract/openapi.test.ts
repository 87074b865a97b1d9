import { createConfig, lintFromString } from '@redocly/openapi-core';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { dashboardOperations } from './dashboard-operations.ts';
import { errors } from './errors.ts';
import { exampleOf } from './json-schema.ts';
import { describeApi, describeDashboardApi, errorCodesOf } from './openapi.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';

type Content = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };
type Document = {
  openapi: string;
  paths: Record<string, Record<string, DescribedOperation>>;
};
type DescribedOperation = {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
  security?: unknown[];
};

const document = describeApi('http://127.0.0.1:8080') as unknown as Document;

describe.each([
  ['the API', describeApi, operations as Record<string, Operation>],
  ["the dashboard's part", describeDashboardApi, dashboardOperations as Record<string, Operation>],
])('the description of %s', (_, describeAll, registry) => {
  const described = describeAll('http://127.0.0.1:8080') as unknown as Document;
  const all = Object.values(described.paths).flatMap((methods) => Object.values(methods));

  test('satisfies the linter at its strictest', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(described), config });
    const found = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`);
    // Nothing that a client sends can make the description itself be refused.
    expect(found.filter((each) => each !== 'operation-4xx-response #/paths/~1openapi.json/get/responses')).toEqual([]);
  });

  test('names every operation once', () => {
    const found = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    const expected = Object.entries(registry).map(
      ([id, { method, path }]) => `${id} ${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(described.openapi).toBe('3.1.0');
  });

  test('gives an example of each JSON body, and each fits its schema', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...described, $id: 'document' });
    // Most errors have the same schema, and compiling takes the time of this test.
    const compiled = new Map<string, ValidateFunction>();
    const check = (where: string, { schema, example, examples }: Content) => {
      const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
      expect(values.length, where).toBeGreaterThan(0);
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
      compiled.set(text, validate);
      for (const value of values) {
        expect(value, where).toBeDefined();
        expect(validate(value), `${where}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
    };
    for (const { operationId, requestBody, responses } of all) {
      const json = requestBody?.content['application/json'];
      if (json) check(operationId, json);
      for (const [status, { content }] of Object.entries(responses)) {
        const described = Object.values(content ?? {});
        expect(described.length > 0, `${operationId} ${status}`).toBe(!['204', '304'].includes(status));
        for (const each of described) check(`${operationId} ${status}`, each);
      }
    }
  });

  test('describes each status that its error codes travel under', () => {
    for (const { operationId, responses } of all) {
      const statuses = errorCodesOf(registry[operationId] as Operation).map((code) => String(errors[code].status));
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(statuses));
    }
  });
});

test('bounds and defaults of the specification are in the parameters', () => {
  const list = document.paths['/media']?.['get']?.parameters ?? [];
  expect(list.find(({ name }) => name === 'per_page')).toMatchObject({
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  });
  expect(list.find(({ name }) => name === 'page')).toMatchObject({ schema: { minimum: 1, default: 1 } });
  expect(list.find(({ name }) => name === 'status')).toMatchObject({
    schema: { enum: ['pending', 'indexing', 'complete', 'error'] },
  });
  // With one more than it names.
  expect(list.find(({ name }) => name === 'type')).toMatchObject({ schema: { enum: ['video', 'image', 'audio'] } });
  const highlights = document.paths['/media/highlights']?.['get']?.parameters ?? [];
  expect(highlights.find(({ name }) => name === 'method')).toMatchObject({
    schema: { enum: ['centroid', 'knn', 'lof'], default: 'knn' },
  });
  expect(document.paths['/media/search']?.['get']?.parameters?.find(({ name }) => name === 'q')).toMatchObject({
    required: true,
  });
});

test('the fourteen endpoints of the specification are there, and what goes beyond them says so', () => {
  const own = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const specified = own.filter((operation) => !('x-addition' in operation)).map(({ operationId }) => operationId);
  expect(specified).toHaveLength(14);
  expect(
    Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).map((m) => `${m} ${path}`)),
  ).toEqual(
    expect.arrayContaining([
      'get /media',
      'get /media/{id}',
      'post /media/upload',
      'get /media/search',
      'post /media/search/image',
      'get /media/highlights',
      'delete /media/{id}',
      'get /creators',
      'post /creators',
      'get /creators/{id}',
      'get /categories',
      'get /categories/{id}',
      'get /workspace',
      'get /openapi.json',
    ]),
  );
});

test('of the endpoints of the specification, what it does not name is marked: parameters, fields of hits, of meta and of errors', () => {
  const isMarked = (part: object) => 'x-addition' in part;
  const split = (parts: [string, object][]) => [
    parts.filter(([, part]) => !isMarked(part)).map(([name]) => name),
    parts.filter(([, part]) => isMarked(part)).map(([name]) => name),
  ];
  const parametersOf = (path: string, method = 'get') =>
    split((document.paths[path]?.[method]?.parameters ?? []).map((each) => [each.name, each]));
  const filters = ['collection_id', 'tag_id', 'taken_after', 'taken_before'];
  const others = [
    'rating_min',
    'rating_max',
    'review',
    'duration_min',
    'duration_max',
    'source_id',
    'folder',
    'orientation',
    'resolution',
    'frame_rate_min',
    'frame_rate_max',
    'sound',
    'codec',
    'camera',
    'lens',
    'place',
    'near',
    'box',
  ];
  const labels = ['creator_id', 'category_id'];
  expect(parametersOf('/media')).toEqual([
    ['page', 'per_page', ...labels, 'type', 'status'],
    [...filters, 'q', ...others, 'stack_id', 'ids', 'sort'],
  ]);
  expect(parametersOf('/media/search')).toEqual([
    ['q', 'n', 'dedupe', 'rerank', ...labels],
    [
      'and',
      'or',
      'then',
      'within',
      'without',
      'like',
      'media_id',
      'as_written',
      'as_words',
      'time_zone',
      'in',
      'type',
      ...filters,
      ...others,
    ],
  ]);
  expect(parametersOf('/media/search/image', 'post')[0]).toEqual(['dedupe', ...labels]);
  expect(parametersOf('/media/highlights')[0]).toEqual(['method', ...labels]);
  for (const list of ['/creators', '/categories'])
    expect(parametersOf(list)).toEqual([['page', 'per_page', ...labels], ['q']]);
  expect(parametersOf('/creators', 'post')).toEqual([[], ['Idempotency-Key']]);
  expect(parametersOf('/media/{id}')).toEqual([['id'], ['If-None-Match']]);
  // What is an addition as a whole needs no marks within.
  expect(parametersOf('/tags')[1]).toEqual([]);

  type Properties = { properties: Record<string, Properties> };
  const { schemas } = (document as unknown as { components: { schemas: Record<string, Properties> } }).components;
  const fieldsOf = (schema: Properties | undefined) => split(Object.entries(schema?.properties ?? {}));
  expect(fieldsOf(schemas['SearchHit'])).toEqual([
    ['id', 'filename', 'score', 'start', 'end', 'url', 'thumbnail', 'type'],
    [
      'chunk_id',
      'creator_id',
      'category_id',
      'source',
      'thumbnails',
      'signals',
      'weak',
      'steps',
      'stack',
      'duplicates',
    ],
  ]);
  expect(fieldsOf(schemas['Error']?.properties['error'])).toEqual([['code', 'message'], ['details']]);
  expect(fieldsOf(schemas['PageMeta'])[1]).toEqual([]);
  const { content } = document.paths['/media/search']?.['get']?.responses['200'] ?? {};
  const answer = content?.['application/json']?.schema as Properties;
  expect(fieldsOf(answer.properties['meta'])[0]).toEqual(['query']);
});

test('its version is that of the API in the path, not of the program', () => {
  const { info, servers } = document as unknown as { info: { version: string }; servers: { url: string }[] };
  expect(servers[0]?.url).toMatch(new RegExp(`/v${info.version.split('.')[0]}$`));
  expect(info.version).toMatch(/^\d+\.\d+\.\d+$/);
});

test('only openapi.json goes without a key', () => {
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, security, responses } of Object.values(methods)) {
      expect(security === undefined, operationId).toBe(operationId !== 'getOpenApi');
      if (security === undefined) expect(Object.keys(responses)).toContain('401');
    }
  }
});

test('objects may grow: no schema of a response refuses further members', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
});

test('every operation has an example of its data', () => {
  for (const [id, { data }] of Object.entries({ ...operations, ...dashboardOperations })) {
    expect(data.safeParse(exampleOf(data)).success, id).toBe(true);
  }
});
