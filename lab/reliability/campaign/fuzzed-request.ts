import { describeApi, describeDashboardApi } from '../../../contract/openapi.ts';
import { drawBrokenHttp, drawUnknownPath } from './broken-request.ts';
import { corruptByte, type FuzzedRequest, type FuzzContext } from './fuzz-context.ts';
import { hostileForm, validForm } from './fuzzed-form.ts';
import { hostileBody, hostileStrings, type ResolveReference, type Schema, validValue } from './schema-values.ts';

type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema };

type Described = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

type Document = { paths: Record<string, Record<string, Described>>; components: { schemas: Record<string, Schema> } };

/** An operation of an OpenAPI document, with the parts needed for a request. */
export type Target = {
  id: string;
  method: string;
  template: string;
  operation: Described;
  resolve: ResolveReference;
  signedIn: boolean;
};

/** Operations that are nothing for a fuzzer: samples keep all workers busy each time, and a stream of events does not end. */
const excludedOperations = new Set(['loadSamples', 'streamEvents']);

/** All operations of both OpenAPI documents. Those that take files can fail in the most ways, so they occur four times. */
export function describeTargets(url: string): Target[] {
  return [
    ...targetsOf(describeApi(url) as unknown as Document, '/api/v1', false),
    ...targetsOf(describeDashboardApi(url) as unknown as Document, '', true),
  ]
    .filter(({ id }) => !excludedOperations.has(id))
    .flatMap((target) => (formSchema(target) ? [target, target, target, target] : [target]));
}

function targetsOf({ paths, components }: Document, prefix: string, signedIn: boolean): Target[] {
  const resolve: ResolveReference = (schema) =>
    schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      template: `${prefix}${path}`,
      operation,
      resolve,
      signedIn,
    })),
  );
}

/** Draws a request of some operation and some kind. */
export function drawRequest(targets: Target[], material: FuzzContext): FuzzedRequest {
  const { campaign } = material;
  const target = campaign.pick(targets);
  const base = validRequest(target, material);
  const kinds = [drawValid, drawHostileQuery, drawHostileHeader, drawUnknownMethod, unknownPath, brokenHttp];
  if (target.template.includes('{')) kinds.push(drawHostilePath);
  if (target.operation.requestBody)
    kinds.push(drawHostileJson, drawHostileJson, drawRawBody, drawWrongType, drawIncomplete);
  if (formSchema(target)) kinds.push(drawForm, drawHostileForm, drawHostileForm);
  return campaign.pick(kinds)(base, target, material);
}

type Draw = (base: FuzzedRequest, target: Target, material: FuzzContext) => FuzzedRequest;

const jsonSchema = ({ operation }: Target) => operation.requestBody?.content['application/json']?.schema;
const formSchema = ({ operation }: Target) => operation.requestBody?.content['multipart/form-data']?.schema;

function validRequest(target: Target, material: FuzzContext): FuzzedRequest {
  const { campaign, known, identity } = material;
  const valid = (schema: Schema) => validValue(schema, target.resolve, known, campaign);
  const path = target.template.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(String(valid({ format: 'uuid', type: 'string' }))),
  );
  const given = target.operation.parameters ?? [];
  const query = new URLSearchParams();
  const headers: [string, string][] = target.signedIn
    ? [['Cookie', identity.cookie]]
    : [['Authorization', `Bearer ${identity.key}`]];
  for (const { name, in: place, required, schema } of given) {
    if (place === 'path' || (!required && campaign.chance(0.5))) continue;
    if (place === 'query') query.set(name, String(valid(schema)));
    else headers.push([name, String(valid(schema)).replaceAll(/[^\x21-\x7E]/g, 'x')]);
  }
  const schema = jsonSchema(target);
  const request = { kind: 'valid', method: target.method, path, target: withQuery(path, query) };
  if (schema) return { ...request, headers: [...headers, asJson], body: Buffer.from(JSON.stringify(valid(schema))) };
  const form = formSchema(target);
  if (!form) return { ...request, headers };
  const { type, body } = validForm(form, target.resolve, material);
  return { ...request, headers: [...headers, ['Content-Type', type]], body };
}

const asJson: [string, string] = ['Content-Type', 'application/json'];
const withQuery = (path: string, query: URLSearchParams) => (query.size > 0 ? `${path}?${query.toString()}` : path);
const withoutType = (headers: [string, string][] = []) => headers.filter(([name]) => name !== 'Content-Type');

const drawValid: Draw = (base) => base;

const drawHostileQuery: Draw = (base, { operation }, { campaign }) => {
  const { pick, chance, integer } = campaign;
  const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
  const name = names.length > 0 && chance(0.9) ? pick(names) : pick(['__proto__', 'constructor', 'unknown', '']);
  const value = pick(hostileStrings).slice(0, 4000);
  const form = integer(6);
  // Not encoded, encoded, twice, as a list, as a member, without a value.
  const raw = value.replaceAll(/[^\x21-\x7E]|[#]/g, '%20');
  const parts = [
    `${name}=${raw}`,
    `${name}=${encode(value)}`,
    `${name}=1&${name}=${encode(value)}`,
    `${name}[]=${encode(value)}`,
    `${name}[a]=1`,
    name,
  ];
  const kept = base.target.includes('?') && chance(0.5) ? `${base.target}&` : `${base.path}?`;
  return { ...base, kind: 'hostile query', target: `${kept}${parts[form]}` };
};

const encode = (text: string) => encodeURIComponent(text.toWellFormed());

const drawHostilePath: Draw = (base, { template }, { campaign }) => {
  const value = campaign.pick(hostileStrings).slice(0, 2000);
  const raw = campaign.chance(0.3);
  const written = raw ? value.replaceAll(/[^\x21-\x7E]|[#?]/g, '') : encode(value);
  const target = template.replace(/\{\w+\}/, () => written);
  return { ...base, kind: 'hostile path', target, path: pathOf(target) };
};

/** The path as a URL parser returns it; null when parsing changes it, so that its target is ambiguous. */
function pathOf(target: string): string | null {
  const plain = target.replace(/(?<=.)\/+$/, '');
  if (!URL.canParse(plain, 'http://localhost') || !isDecodable(plain)) return null;
  const { pathname } = new URL(plain, 'http://localhost');
  return pathname === plain && !/%2e|%2f|\/\//i.test(plain) ? pathname : null;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const drawHostileHeader: Draw = (base, _target, { campaign, identity }) => {
  const { pick, integer } = campaign;
  const text = pick(hostileStrings)
    .toWellFormed()
    .replaceAll(/[\r\n\0]/g, '')
    .slice(0, 6000);
  const changes: [string, string][] = [
    [
      'Authorization',
      pick([
        '',
        'Bearer',
        'Bearer ',
        `Basic ${btoa('a:b')}`,
        `bearer ${identity.key}`,
        `Bearer ${identity.key} x`,
        `Bearer ${text}`,
      ]),
    ],
    [
      'Cookie',
      pick([
        'media_search_session=',
        `media_search_session=${text}`,
        '='.repeat(3000),
        'media_search_session=a; media_search_session=b',
        text,
      ]),
    ],
    ['Idempotency-Key', pick([text, '', 'x'.repeat(255), 'x'.repeat(256), `same-${integer(3)}`])],
    ['If-None-Match', pick(['*', '"a", "b"', 'W/"a"', '"', text, ','.repeat(3000)])],
    ['Range', pick(['bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=0-0,2-3', 'items=0-1', text])],
    ['Accept', pick(['text/html', '*/*;q=a', text])],
    ['Accept-Encoding', pick(['br', 'gzip;q=9', text])],
    ['Content-Encoding', pick(['gzip', 'br', 'identity', text])],
    ['Origin', pick(['null', 'https://elsewhere.example', text])],
    ['Sec-Fetch-Site', pick(['cross-site', 'same-origin', text])],
    ['X-Forwarded-For', pick(['1.2.3.4', ':::', text, '1, '.repeat(500)])],
    ['X-Forwarded-Host', pick(['elsewhere.example', 'a b', '/', text])],
    ['X-Forwarded-Proto', pick(['javascript', 'https,http', text])],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['Expect', pick(['100-continue', 'elephants', text])],
    ['Host', pick(['', 'elsewhere.example', 'a b', '[::1', text])],
    ['Upgrade', 'websocket'],
    ['Transfer-Encoding', pick(['chunked', 'gzip, chunked', 'identity'])],
    ['X-Large', 'x'.repeat(pick([8000, 16_000, 17_000, 40_000]))],
  ];
  const change = pick(changes);
  const kept = (base.headers ?? []).filter(([name]) => name !== change[0] || campaign.chance(0.2));
  const framing = ['Transfer-Encoding', 'Host', 'X-Large', 'Upgrade', 'Expect', 'Cookie'].includes(change[0]);
  return {
    ...base,
    kind: 'hostile header',
    headers: [...kept, change],
    mayCloseEarly: framing,
    // Below `/uploads` the answer is that to another method.
    ...(framing || change[0] === 'X-HTTP-Method-Override' ? { path: null } : {}),
    ...(change[0] === 'Transfer-Encoding' ? { incomplete: true } : {}),
  };
};

const drawUnknownMethod: Draw = (base, _target, { campaign }) => ({
  ...base,
  kind: 'unknown method',
  method: campaign.pick([
    'PUT',
    'TRACE',
    'PROPFIND',
    'OPTIONS',
    'HEAD',
    'QUERY',
    'get',
    'FOO',
    'DELETE',
    'POST',
    'GET',
    'PATCH',
  ]),
  mayCloseEarly: true,
});

const unknownPath: Draw = (base, _target, material) => drawUnknownPath(base, material);

const brokenHttp: Draw = (base, _target, material) => drawBrokenHttp(base, material);

const drawHostileJson: Draw = (base, target, material) => {
  const schema = jsonSchema(target);
  if (!schema) return drawHostileForm(base, target, material);
  const { campaign, known, canaryPort } = material;
  const body = hostileBody(schema, target.resolve, known, campaign);
  if (target.id === 'searchMediaByImage' && campaign.chance(0.3)) {
    const host = campaign.pick([
      '127.0.0.1',
      'localhost',
      '127.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '2130706433',
      '0x7f000001',
      '[::ffff:7f00:1]',
      'localhost.',
    ]);
    const url = `${campaign.pick(['http', 'http', 'https', 'file', 'ftp'])}://${host}:${canaryPort}/a.png`;
    return {
      ...base,
      kind: 'hostile JSON',
      headers: [...withoutType(base.headers), asJson],
      body: Buffer.from(JSON.stringify({ url })),
    };
  }
  return {
    ...base,
    kind: 'hostile JSON',
    headers: [...withoutType(base.headers), asJson],
    body: Buffer.from(JSON.stringify(body)),
  };
};

/** Bytes that are not JSON, or JSON that parsers read differently. */
const drawRawBody: Draw = (base, _target, { campaign }) => {
  const valid = base.body ?? Buffer.from('{}');
  const text = valid.toString('utf8');
  const body = campaign.pick<() => Buffer>([
    () => Buffer.alloc(0),
    () => valid.subarray(0, campaign.integer(valid.length + 1)),
    () => Buffer.concat([valid, Buffer.from('x')]),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), valid]),
    () => Buffer.from(text.replace('{', '{"name":"a","name":"b",')),
    () => Buffer.from('['.repeat(200_000)),
    () => Buffer.from('{"a":'.repeat(50_000)),
    () => Buffer.from('{"name":"\\ud800"}'),
    () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    () => Buffer.from(JSON.stringify({ name: 'x'.repeat(2 ** 20 - 50) })),
    () => Buffer.from(JSON.stringify({ name: 'x'.repeat(2 ** 20 + 50) })),
    () => Buffer.from('{"name":NaN}'),
    () => Buffer.from('{"n":1e999,"grace_hours":1e999,"at":1e999}'),
    () => Buffer.from('{"__proto__":{"a":1},"constructor":{"prototype":{}}}'),
    () => Buffer.from(text, 'utf16le'),
    () => corruptByte(valid, campaign),
  ])();
  return {
    ...base,
    kind: 'raw body',
    headers: [...withoutType(base.headers), asJson],
    body,
    mayCloseEarly: body.length > 2 ** 20,
  };
};

const drawWrongType: Draw = (base, _target, { campaign }) => {
  const type = campaign.pick([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=a',
    'multipart/form-data; boundary="a',
    'application/json; charset=utf-16',
    'application/json;;;=',
    'APPLICATION/JSON',
    'application/json, text/plain',
    'application/vnd.api+json',
    'image/png',
    '/',
    'a',
    '',
    '\u00e9',
  ]);
  return { ...base, kind: 'wrong content type', headers: [...withoutType(base.headers), ['Content-Type', type]] };
};

/** A body that ends before what was announced, or goes beyond it. */
const drawIncomplete: Draw = (base, _target, { campaign }) => {
  const body = base.body ?? Buffer.alloc(0);
  const announced = campaign.pick([body.length + 1, body.length + 10_000, 2 ** 40]);
  return {
    ...base,
    kind: 'incomplete body',
    headers: [...(base.headers ?? []), ['Content-Length', String(announced)]],
    incomplete: true,
  };
};

const drawForm: Draw = (base, target, material) => {
  const { type, body } = validForm(formSchema(target) ?? {}, target.resolve, material);
  return { ...base, kind: 'form', headers: [...withoutType(base.headers), ['Content-Type', type]], body };
};

const drawHostileForm: Draw = (base, target, material) => {
  const { type, body } = hostileForm(formSchema(target) ?? {}, target.resolve, material);
  return {
    ...base,
    kind: 'hostile form',
    headers: [...withoutType(base.headers), ['Content-Type', type]],
    body,
    mayCloseEarly: true,
  };
};
