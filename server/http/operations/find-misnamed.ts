import { editDistance } from '@media-search/search-engine/spelling/edit-distance';
import { z } from 'zod';
import type { ErrorDetail } from '../../../contract/errors.ts';

/** Details of one refusal. The first of many say enough: a detail for each of 20,000 wrong entries would be megabytes. */
export const maxDetails = 20;

/**
 * Finds what a part of a request has that its schema does not name, at every depth, and parameters that were given more than once: such a
 * request means something else than what it would get.
 * @param place of the value: `query`, `body`
 * @returns the first 20
 */
export function findMisnamed(schema: z.core.$ZodType, value: unknown, place: string): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const detail of walk(schema, value, place)) if (details.push(detail) === maxDetails) break;
  return details;
}

/** Finds names that are not known, but nearly: where others are allowed, these are probably mistakes. */
export function findMisspelled(names: string[], known: string[], place: string): ErrorDetail[] {
  return names.flatMap((name) => {
    const nearest = known.includes(name) ? undefined : findNearestName(name, known);
    const path = `${place}.${name.slice(0, maxShownLength)}`;
    return nearest === undefined ? [] : [{ path, message: describeUnknown(name, known, place) }];
  });
}

function* walk(schema: z.core.$ZodType, value: unknown, place: string): Generator<ErrorDetail> {
  if (Array.isArray(value)) {
    const element = elementOf(schema);
    if (element) for (const [i, each] of value.entries()) yield* walk(element, each, `${place}.${i}`);
    return;
  }
  const fields = fieldsOf(schema);
  if (!fields || value === null || typeof value !== 'object') return;
  for (const [name, member] of Object.entries(value)) {
    const field = fields.get(name);
    const path = `${place}.${name.slice(0, maxShownLength)}`;
    if (!field) yield { path, message: describeUnknown(name, [...fields.keys()], place) };
    else if (place === 'query' && Array.isArray(member) && !elementOf(field))
      yield { path, message: 'was given more than once' };
    else yield* walk(field, member, path);
  }
}

/** Characters of a wrong name that its refusal repeats. */
const maxShownLength = 64;

/** What is within a schema that only says more of its value: that it may be left out, or what becomes of it. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unwrap(schema.unwrap());
  }
  if (!(schema instanceof z.ZodPipe)) return schema;
  // Of what is made ready before it is checked, the schema says what it is.
  return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodArray ? inner.element : undefined;
}

type Fields = Map<string, z.core.$ZodType> | undefined;

/** The fields of a schema, found once. */
const known = new WeakMap<z.core.$ZodType, { fields: Fields }>();

/** The fields of an object, of several kinds of one those of all. Undefined for anything else, and for an object that may have others. */
function fieldsOf(schema: z.core.$ZodType): Fields {
  const found = known.get(schema) ?? { fields: findFields(schema) };
  known.set(schema, found);
  return found.fields;
}

function findFields(schema: z.core.$ZodType): Fields {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return new Map(Object.entries(inner.shape));
  if (!(inner instanceof z.ZodUnion)) return undefined;
  const kinds = inner.options.map(fieldsOf);
  if (kinds.some((kind) => kind === undefined)) return undefined;
  return new Map(kinds.flatMap((kind) => [...(kind ?? [])]));
}

function describeUnknown(name: string, known: string[], place: string): string {
  const nearest = findNearestName(name, known);
  if (nearest !== undefined) return `is unknown (did you mean \`${nearest}\`?)`;
  if (known.length === 0) return `is unknown; this takes no ${place === 'query' ? 'parameters' : 'fields'}`;
  return `is unknown; there are ${known.map((each) => `\`${each}\``).join(', ')}`;
}

/** What other services call it. */
const otherNames: Record<string, string[]> = {
  limit: ['per_page', 'n'],
  count: ['per_page', 'n'],
  top_k: ['n'],
  size: ['per_page', 'n'],
  offset: ['page'],
  query: ['q'],
  text: ['q'],
  order_by: ['sort'],
};

/** The name that was probably meant: what other services call so, or one that differs by a third of its letters at most, where case, underscores and a closing `_id` do not count. */
function findNearestName(name: string, known: string[]): string | undefined {
  const other = Object.hasOwn(otherNames, name) ? otherNames[name]?.find((each) => known.includes(each)) : undefined;
  if (other !== undefined) return other;
  const spellings = known.flatMap((each) => [
    { each, text: toComparable(each) },
    { each, text: toComparable(each.replace(/_ids?$/, '')) },
  ]);
  const wanted = toComparable(name);
  const near = spellings.flatMap(({ each, text }) => {
    const distance = editDistance(wanted, text, Math.floor(Math.max(wanted.length, text.length) / 3));
    return distance === null ? [] : [{ each, distance }];
  });
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.each;
}

const toComparable = (name: string): string => name.replaceAll('_', '').toLowerCase();
