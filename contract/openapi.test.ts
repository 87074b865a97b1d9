import { expect, test } from 'vitest';
import { endpoints } from './endpoints.ts';
import { errorStatus } from './errors.ts';
import { buildOpenApi } from './openapi.ts';

type Document = {
  openapi: string;
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, unknown> };
};
type DescribedOperation = {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  responses: Record<string, unknown>;
  security?: unknown[];
};

const document = buildOpenApi('http://127.0.0.1:8080', '1.2.3') as unknown as Document;

test('describes every endpoint of the contract once', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  );
  const expected = Object.entries(endpoints).map(
    ([id, { method, path }]) => `${id} ${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(described.toSorted()).toEqual(expected.toSorted());
  expect(document.openapi).toBe('3.1.0');
});

test('names each path parameter and the bounds of pages', () => {
  const list = document.paths['/media']?.['get']?.parameters ?? [];
  expect(list.find(({ name }) => name === 'per_page')).toMatchObject({
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  });
  expect(document.paths['/media/{id}']?.['delete']?.parameters).toMatchObject([
    { name: 'id', in: 'path', required: true },
  ]);
  expect(document.paths['/media/search']?.['get']?.parameters.find(({ name }) => name === 'q')).toMatchObject({
    required: true,
  });
});

test('every reference leads to a component', () => {
  const references = JSON.stringify(document).match(/"#\/components\/schemas\/[^"]+"/g) ?? [];
  expect(references.length).toBeGreaterThan(10);
  for (const reference of references) {
    const name = reference.slice('"#/components/schemas/'.length, -1);
    expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

test('only openapi.json goes without a key, and each status of an error is described', () => {
  for (const methods of Object.values(document.paths)) {
    for (const { operationId, security, responses } of Object.values(methods)) {
      expect(security === undefined, operationId).toBe(operationId !== 'getOpenApi');
      if (security === undefined) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429', '500']));
    }
  }
  const upload = document.paths['/media/upload']?.['post']?.responses ?? {};
  expect(Object.keys(upload)).toEqual(expect.arrayContaining(['200', '202', '413', '415']));
  expect(errorStatus.payload_too_large).toBe(413);
});

test('objects may grow: no schema of a response refuses further members', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
});
