import { z } from 'zod';
import { basePath, endpoints, type OperationId } from './endpoints.ts';
import { type ErrorCode, errorStatus } from './errors.ts';
import { type AnyOperation, operations } from './operations.ts';

type Json = { [key: string]: unknown };

/** Codes that any request with a key can meet, whatever the endpoint. */
const commonErrors: ErrorCode[] = ['missing_api_key', 'invalid_api_key', 'throttled', 'internal_error', 'unavailable'];

/**
 * Builds the OpenAPI 3.1 description of the API from the schemas that requests are checked against.
 * @param baseUrl address of the service without `/api/v1`, such as `http://127.0.0.1:8080`
 */
export function buildOpenApi(baseUrl: string, version: string): Json {
  const components: Json = { Error: errorSchema() };
  const paths: { [path: string]: Json } = {};
  for (const id of Object.keys(endpoints) as OperationId[]) {
    const { method, path } = endpoints[id];
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: describeOperation(id, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Media Search',
      version,
      description: 'Finds the very seconds in videos and photos that someone describes in words.',
    },
    servers: [{ url: `${baseUrl}${basePath}` }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `service_<secret>`.' } },
    },
  };
}

function describeOperation(id: OperationId, components: Json): Json {
  const operation: AnyOperation = operations[id];
  const open = id === 'getOpenApi';
  const errors = open ? operation.errors : [...operation.errors, ...commonErrors];
  return {
    operationId: id,
    summary: operation.summary,
    ...(operation.planned ? { 'x-planned': true, description: 'Not served yet: answers `not_found`.' } : {}),
    ...(open ? { security: [] } : {}),
    parameters: [
      ...parametersOf(operation.params, 'path', components),
      ...parametersOf(operation.query, 'query', components),
    ],
    ...(operation.body ? { requestBody: requestBodyOf(operation, operation.body, components) } : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: successSchema(operation, open, components) } } },
        ]),
      ),
      ...errorResponses(errors),
    },
  };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query', components: Json): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = toJsonSchema(field, components);
    return {
      name,
      in: place,
      required: place === 'path' || !z.safeParse(field, undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function requestBodyOf(operation: AnyOperation, body: z.ZodObject, components: Json): Json {
  const fields = toJsonSchema(body, components);
  const form = {
    ...fields,
    properties: { file: { type: 'string', format: 'binary' }, ...(fields['properties'] as Json) },
    required: operation.file === 'required' ? ['file'] : [],
  };
  return {
    required: true,
    content: {
      ...(operation.file === 'required' ? {} : { 'application/json': { schema: fields } }),
      ...(operation.file ? { 'multipart/form-data': { schema: form } } : {}),
    },
  };
}

function successSchema(operation: AnyOperation, bare: boolean, components: Json): Json {
  const data = toJsonSchema(operation.data, components);
  if (bare) return data;
  return {
    type: 'object',
    properties: {
      success: { const: true },
      data,
      ...(operation.meta ? { meta: toJsonSchema(operation.meta, components) } : {}),
    },
    required: ['success', 'data'],
  };
}

function errorResponses(codes: ErrorCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorStatus[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\``).join(' or '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function errorSchema(): Json {
  const detail = { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } };
  return {
    type: 'object',
    properties: {
      success: { const: false },
      error: {
        type: 'object',
        properties: {
          code: { type: 'string', enum: Object.keys(errorStatus) },
          message: { type: 'string' },
          details: { type: 'array', items: { ...detail, required: ['path', 'message'] } },
        },
        required: ['code', 'message'],
      },
    },
    required: ['success', 'error'],
  };
}

/** JSON Schema of what a value looks like once read; schemas with an `id` move to the components and are referred to. */
function toJsonSchema(schema: z.ZodType | z.core.$ZodType, components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'output',
    // Later versions may add fields: a client that refuses unknown ones would break.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json;
  const { id, ...own } = moveReferences(json) as Json;
  for (const [name, definition] of Object.entries(($defs ?? {}) as Json)) {
    const { id: _id, ...body } = moveReferences(definition) as Json;
    components[name] = body;
  }
  if (typeof id !== 'string') return own;
  components[id] = own;
  return { $ref: `#/components/schemas/${id}` };
}

function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : moveReferences(inner),
    ]),
  );
}
