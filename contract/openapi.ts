import { z } from 'zod';
import { basePath } from './base-path.ts';
import { dashboardOperations } from './dashboard-operations.ts';
import { errorBody, successBody } from './envelope.ts';
import { type ErrorCode, errors } from './errors.ts';
import { exampleOf, type Json, toJsonSchema } from './json-schema.ts';
import { markAdditions } from './mark-additions.ts';
import type { Operation, Tag } from './operation.ts';
import { operations } from './operations.ts';

const introduction = `Finds the very seconds in videos and photos that someone describes in words.

Every request carries an API key: \`Authorization: Bearer service_…\`. A key belongs to one workspace and sees nothing else.

Every JSON response has the envelope \`{ success: true, data, meta? }\` or \`{ success: false, error: { code, message, details? } }\`:
look at \`success\` first. Every response has an \`X-Request-Id\`. Times are RFC 3339 in UTC, durations and positions are seconds.
An unknown path is answered with 404 \`not_found\`, an unknown method with 405 \`method_not_allowed\` and \`Allow\`.

Lists come in pages (\`page\`, \`per_page\`). Unknown parameters and fields are refused, with the nearest name;
wrong values too, never clamped.

Requests that create something may carry an \`Idempotency-Key\`: sent again within 24 hours with the same content they get the
first answer again. Browser scripts of any origin may call the API with a key. \`RateLimit\` headers tell how much a key has left.

Operations, parameters and fields marked \`x-addition\` go beyond the specification: another service that conforms to it may lack them.
Later versions may add fields, parameters and operations; nothing is taken away within \`v1\`.`;

/**
 * The version of the description, by semantic versioning: the first number is that of `/api/v1`, the second grows with each release that adds
 * something to the API. The version of the program is another.
 */
const apiVersion = '1.1.0';

/**
 * The OpenAPI 3.1 description of the API, built from the schemas that requests are checked against.
 * @param baseUrl URL of the service without `/api/v1`, for example `http://127.0.0.1:8080`
 */
export function describeApi(baseUrl: string): Json {
  const document = buildDocument(operations, {
    info: { title: 'Media Search', version: apiVersion, description: introduction },
    server: `${baseUrl}${basePath}`,
    scheme: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `service_<secret>`.' } },
  });
  markAdditions(document);
  return document;
}

/** The same of what the dashboard asks for besides the API. It is not served: only our own dashboard may rely on it. */
export function describeDashboardApi(baseUrl: string): Json {
  return buildDocument(dashboardOperations, {
    info: {
      title: 'Media Search dashboard',
      version: apiVersion,
      description: 'Sessions and management of a workspace.',
    },
    server: baseUrl,
    scheme: { session: { type: 'apiKey', in: 'cookie', name: 'media_search_session' } },
  });
}

type DocumentOptions = {
  info: { title: string; version: string; description: string };
  server: string;
  scheme: { [name: string]: Json };
};

function buildDocument(described: Record<string, Operation>, { info, server, scheme }: DocumentOptions): Json {
  const components: Json = {};
  toJsonSchema(errorBody, components);
  const paths: { [path: string]: Json } = {};
  for (const [id, operation] of Object.entries(described)) {
    const template = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[template] = {
      ...paths[template],
      [operation.method.toLowerCase()]: describeOperation(id, operation, components),
    };
  }
  const used = JSON.stringify(paths);
  const headers = Object.entries(commonHeaders).filter(([name]) => used.includes(`#/components/headers/${name}"`));
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' } },
    servers: [{ url: server }],
    security: Object.keys(scheme).map((name) => ({ [name]: [] })),
    tags: tagsOf(described),
    paths,
    components: { schemas: components, securitySchemes: scheme, headers: Object.fromEntries(headers) },
  };
}

const tagDescriptions: Record<Tag, string> = {
  Media: 'Videos and images, from upload to deletion.',
  Comments: 'What people say about items, and what a review decides.',
  Uploads: 'Resumable uploads, by the tus protocol.',
  Trash: 'Items on their way out, which can be restored for 30 days.',
  Shares: 'Public links to items, moments, collections and selections.',
  Search: 'Finding moments by words, by an image, or by how unusual they are.',
  Copies: 'Where footage is used again: copies, versions, parts.',
  Creators: 'The people who made the media.',
  Categories: 'What the media are filed under.',
  Collections: 'Named sets of media; an item may be in many.',
  Tags: 'Words that people give to media; an item may have many.',
  'Saved searches': 'Searches and views of the library under a name.',
  Exports: 'Clips, stills, cut lists and archives to download.',
  Events: 'What happens in the workspace, as it happens.',
  Sources: 'Folders and prefixes of buckets whose files are indexed where they lie.',
  Workspace: 'The workspace with its plan and usage.',
  Description: 'This description.',
  Session: 'The person who is signed in.',
  'API keys': 'The keys of the workspace.',
  Webhooks: 'URLs that events are sent to.',
  Members: 'The people of the workspace.',
};

function tagsOf(described: Record<string, Operation>): { name: Tag; description: string }[] {
  const tags = new Set(Object.values(described).map(({ tag }) => tag));
  return [...tags].map((name) => ({ name, description: tagDescriptions[name] }));
}

/** Errors of any request: invalid HTTP, too slow, too large a head, or a failure of the service. */
const commonErrorCodes = [
  'malformed_body',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'unavailable',
  'insufficient_storage',
] as const satisfies ErrorCode[];

/** The codes that an operation can be refused with. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { access, method } = operation;
  const codes: ErrorCode[] = [...operation.errors, ...commonErrorCodes];
  if (access === 'key') codes.push('missing_api_key', 'invalid_api_key', 'throttled');
  if (access === 'visitor' || access === 'member' || access === 'owner') codes.push('forbidden', 'throttled');
  if (access === 'member' || access === 'owner') codes.push('not_signed_in');
  // What an operation does not know, it refuses; a copy of this document may be asked for in any way.
  if (access !== 'anyone') codes.push('validation_error');
  // A body is parsed for every method that may have one, even if none is needed.
  if (method !== 'GET') codes.push('payload_too_large', 'unsupported_media_type');
  if (operation.idempotent) codes.push('idempotency_conflict', 'idempotency_key_reused');
  return codes;
}

function describeOperation(id: string, operation: Operation, components: Json): Json {
  const { access, body, bytes, conditional, form, idempotent, summary, tag } = operation;
  const parameters = [
    ...parametersOf(operation.params, 'path', components),
    ...parametersOf(operation.query, 'query', components),
    ...parametersOf(operation.headers, 'header', components),
    ...(idempotent ? [{ ...idempotencyKey }] : []),
    ...(conditional ? [{ ...ifNoneMatch }] : []),
  ];
  return {
    operationId: id,
    // Its first sentence, as a title.
    summary: summary.split('.')[0],
    description: operation.description ?? summary,
    tags: [tag],
    ...(access === 'anyone' || access === 'visitor' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body || form || bytes ? { requestBody: requestBodyOf(operation, components) } : {}),
    responses: { ...describeSuccesses(id, operation, components), ...describeFailures(errorCodesOf(operation)) },
  };
}

function describeSuccesses(id: string, operation: Operation, components: Json): Json {
  const bare = id === 'getOpenApi';
  const described = Object.entries(operation.responses).map(([status, description]) => {
    const headers = {
      ...referToHeaders('X-Request-Id', 'RateLimit', 'RateLimit-Policy'),
      ...(operation.conditional ? referToHeaders('ETag') : {}),
      ...((operation.status ?? 200) === Number(status) && / `Location` /.test(description)
        ? referToHeaders('Location')
        : {}),
      ...referToHeaders(...(operation.responseHeaders ?? [])),
    };
    if (operation.empty) return [status, { description, headers }];
    const content = successSchema(operation, bare, components);
    const types = operation.file ?? ['application/json'];
    return [status, { description, headers, content: Object.fromEntries(types.map((type) => [type, content])) }];
  });
  const unchanged = { description: 'What `If-None-Match` names is still current.', headers: referToHeaders('ETag') };
  return { ...Object.fromEntries(described), ...(operation.conditional ? { 304: unchanged } : {}) } as Json;
}

function successSchema(operation: Operation, bare: boolean, components: Json): { schema: Json; example: unknown } {
  const example = exampleOf(operation.data);
  if (bare || operation.file) return { schema: toJsonSchema(operation.data, components), example };
  return {
    schema: toJsonSchema(successBody(operation), components),
    example: { success: true, data: example, ...(operation.meta ? { meta: exampleOf(operation.meta) } : {}) },
  };
}

function describeFailures(codes: ErrorCode[]): Json {
  const byStatus = Map.groupBy(new Set(codes), (code) => errors[code].status);
  const extra: Record<number, string[]> = {
    401: codes.includes('missing_api_key') ? ['WWW-Authenticate'] : [],
    429: codes.includes('missing_api_key') ? ['Retry-After', 'RateLimit', 'RateLimit-Policy'] : ['Retry-After'],
    503: ['Retry-After'],
  };
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\``).join(' or '),
        headers: referToHeaders('X-Request-Id', ...(extra[status] ?? [])),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(group.map((code) => [code, { value: errorExample(code) }])),
          },
        },
      },
    ]),
  );
}

function errorExample(code: ErrorCode): Json {
  const { example, ...more } = errors[code];
  return { success: false, error: { code, message: example, ...('details' in more ? { details: more.details } : {}) } };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query' | 'header', components: Json): Json[] {
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

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any string of the client, unique for each resource to create. A repeated request gets the stored response.',
  schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['3f1c4a7e-upload-0001'] },
};

const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'An `ETag` from before: when it is still current, the answer is 304 without a body.',
  schema: { type: 'string' },
};

function requestBodyOf({ body, bytes, form }: Operation, components: Json): Json {
  const content: Json = {};
  if (bytes) content[bytes] = { schema: { type: 'string', format: 'binary' } };
  if (body) {
    const { examples: _, ...schema } = toJsonSchema(body, components, 'input');
    content['application/json'] = { schema, example: exampleOf(body) };
  }
  if (form) {
    const { properties } = toJsonSchema(form, components, 'input');
    const file = { type: 'string', format: 'binary' };
    content['multipart/form-data'] = {
      schema: { type: 'object', properties: { file, ...(properties as Json) }, required: ['file'] },
    };
  }
  return { required: true, content };
}

const referToHeaders = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const describeHeader = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string' },
  example,
});

const commonHeaders: Json = {
  'X-Request-Id': describeHeader('Names the request in the log.', '8c2f5d1e-6f0a-4f5e-9f39-0d7d6b0e3b52'),
  RateLimit: describeHeader('What the key has left in this window: requests and seconds.', '"default";r=5994;t=42'),
  'RateLimit-Policy': describeHeader('How many requests a key has in how many seconds.', '"default";q=6000;w=60'),
  'Retry-After': describeHeader('Seconds to wait before trying again.', '12'),
  'WWW-Authenticate': describeHeader('How to authenticate.', 'Bearer'),
  ETag: describeHeader('Names this state of the resource.', '"m2Jt0Vq8c1kXf3aZ"'),
  'Tus-Resumable': describeHeader('The version of the tus protocol.', '1.0.0'),
  'Upload-Offset': describeHeader('Bytes of the file that are stored durably.', '16777216'),
  'Upload-Length': describeHeader('Bytes of the whole file.', '48000000'),
  'Upload-Expires': describeHeader('When an open upload is removed.', 'Sun, 22 Nov 2026 09:30:00 GMT'),
  'Content-Location': describeHeader(
    'Path of the item that the upload has become.',
    '/api/v1/media/01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  ),
  Location: describeHeader('Path of what was created.', '/api/v1/media/01a1fbe4-6806-793e-a30f-22b8a44e4f85'),
};
