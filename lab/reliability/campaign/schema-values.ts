import type { Campaign } from './campaign.ts';

/** JSON Schema as the OpenAPI documents hold it. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};

/** Finds what a `$ref` names. */
export type ResolveReference = (schema: Schema) => Schema;

/** Identifiers that exist, to be used where one is asked for. */
export type KnownValues = { identifiers: string[]; checksums: string[] };

/** Strings that have broken parsers, databases, paths and templates elsewhere. */
export const hostileStrings: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u{FEFF}',
  '\u202Eabc',
  '\uD800',
  '\u{1F600}'.repeat(200),
  'e\u0301'.repeat(300),
  '%00',
  '%E0%A4%A',
  '%',
  '../../../../etc/passwd',
  String.raw`..\..\windows`,
  'file:///etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '0',
  '1e999',
  '9007199254740993',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '01A1FBE4-6806-793E-A30F-22B8A44E4F85',
  "' OR 1=1 --",
  '"; DROP TABLE chunks; --',
  '*',
  '"',
  '" OR "',
  'NEAR(a b, 9999999)',
  'a AND NOT',
  '-',
  '- - -',
  '^a',
  'text:a',
  '('.repeat(500),
  '"'.repeat(499),
  '*'.repeat(500),
  'a '.repeat(250),
  '-a '.repeat(160),
  'x'.repeat(10_000),
  '<script>alert(1)</script>',
  '{{7*7}}',
  '${7*7}',
  '\r\nSet-Cookie: a=b',
  '2026-13-45T99:99:99Z',
  'İ',
  'ß'.repeat(121),
];

/** JSON values of every type, for use where another type is expected. */
const hostileValues = (): unknown[] => [
  null,
  true,
  false,
  0,
  -0,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  [],
  [[]],
  [null],
  {},
  { length: 1 },
  { toString: 1, valueOf: 1 },
  nest(200),
];

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A hostile value of any type. */
export function hostileValue(campaign: Campaign): unknown {
  return campaign.chance(0.5) ? campaign.pick(hostileStrings) : campaign.pick(hostileValues());
}

/** A value that fits its schema, often at its limits. */
export function validValue(schema: Schema, resolve: ResolveReference, known: KnownValues, campaign: Campaign): unknown {
  const { chance, integer, pick } = campaign;
  const own = resolve(schema);
  const inner = (part: Schema) => validValue(part, resolve, known, campaign);
  const choices = own.anyOf ?? own.oneOf;
  if (choices) return inner(pick(choices));
  if (own.const !== undefined) return own.const;
  if (own.enum) return pick(own.enum);
  const type = Array.isArray(own.type) ? pick(own.type) : own.type;
  if (type === 'string') return validString(own, known, campaign);
  if (type === 'boolean') return chance(0.5);
  if (type === 'null') return null;
  if (type === 'integer' || type === 'number') {
    const { minimum = 0, maximum = 100 } = own;
    const value = pick([minimum, maximum, minimum + integer(Math.min(100, maximum - minimum + 1))]);
    return type === 'integer' ? Math.round(value) : value;
  }
  if (type === 'array') {
    const { minItems = 0, maxItems = 3, items = {} } = own;
    const length = chance(0.02) ? maxItems : minItems + integer(Math.min(3, maxItems - minItems + 1));
    return Array.from({ length }, () => inner(items));
  }
  const entries = Object.entries(own.properties ?? {}).filter(([name]) => own.required?.includes(name) || chance(0.5));
  return Object.fromEntries(entries.map(([name, part]) => [name, inner(part)]));
}

function validString(
  { format, pattern, examples, minLength = 0, maxLength = 40 }: Schema,
  known: KnownValues,
  campaign: Campaign,
): string {
  const { chance, integer, pick } = campaign;
  if (format === 'uuid' || pattern?.includes('[0-9a-f-]{36}')) {
    return known.identifiers.length > 0 && chance(0.8) ? pick(known.identifiers) : crypto.randomUUID();
  }
  if (pattern === '^[0-9a-f]{64}$')
    return known.checksums.length > 0 && chance(0.5) ? pick(known.checksums) : '0'.repeat(64);
  if (format === 'email') return `somebody${integer(5)}@example.org`;
  // Nothing listens there; requests to this machine must not succeed.
  if (format === 'uri') return pick(['http://127.0.0.1:9/a.png', 'http://localhost:9/', 'http://[::1]:9/']);
  if (examples && chance(0.5)) return String(pick(examples));
  const length = pick([minLength, maxLength, minLength + integer(Math.min(20, maxLength - minLength + 1))]);
  return Array.from({ length: Math.max(0, length) }, () => pick(['a', 'r', 'e', 'd', ' ', 'é', '7'])).join('');
}

/** A body or parameter that is valid except for one part, or invalid altogether. */
export function hostileBody(
  schema: Schema,
  resolve: ResolveReference,
  known: KnownValues,
  campaign: Campaign,
): unknown {
  const { chance, integer, pick } = campaign;
  const value = validValue(schema, resolve, known, campaign);
  if (value === null || typeof value !== 'object' || Array.isArray(value) || chance(0.15))
    return hostileValue(campaign);
  const entries = Object.entries(value);
  const properties = [...new Set([...entries.map(([name]) => name), ...propertyNames(schema, resolve)])];
  if (properties.length === 0 || chance(0.2)) {
    const extra = Object.fromEntries([
      ...entries,
      [pick(['__proto__', 'constructor', 'prototype', 'a'.repeat(1000), '', 'id', 'workspace_id'])],
    ]);
    return { ...extra, ['__proto__']: hostileValue(campaign) };
  }
  const changed = pick(properties);
  const rest = entries.filter(([name]) => name !== changed);
  // One property missing, or changed; sometimes a number as a string.
  if (integer(6) === 0) return Object.fromEntries(rest);
  const before = (value as Record<string, unknown>)[changed];
  return { ...Object.fromEntries(rest), [changed]: integer(6) === 0 ? String(before) : hostileValue(campaign) };
}

function propertyNames(schema: Schema, resolve: ResolveReference): string[] {
  const { properties = {}, anyOf = [] } = resolve(schema);
  return [...Object.keys(properties), ...anyOf.flatMap((part) => propertyNames(part, resolve))];
}
