import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Access, Tag } from './operation.ts';
import { idParams, pageMeta } from './parameters.ts';

/**
 * The operations that all things with a name have in common: creators, categories, collections, tags, saved searches. What is special of one is
 * written out beside them.
 */

type Named<Path extends string, By extends Access, Item extends z.ZodType> = {
  /** Such as `/tags`. */
  path: Path;
  /** Such as `tag` and `tags`. */
  noun: string;
  plural: string;
  tag: Tag;
  access: By;
  item: Item;
};

/** @param query the parameters of the list @param order in which it is */
export const listNamed = <
  const Path extends string,
  const By extends Access,
  Item extends z.ZodType,
  Query extends z.ZodObject,
>(
  { path, plural, tag, access, item }: Named<Path, By, Item>,
  query: Query,
  order = 'by name',
) => ({
  method: 'GET' as const,
  path,
  tag,
  access,
  summary: `List ${plural}.`,
  query,
  responses: { 200: `The ${plural} of this page, ${order}.` },
  data: z.array(item),
  meta: pageMeta,
  errors: [] as ErrorCode[],
});

/** @param errors beyond that the name is taken */
export const createNamed = <
  const Path extends string,
  const By extends Access,
  Item extends z.ZodType,
  Body extends z.ZodType,
>(
  { path, noun, tag, access, item }: Named<Path, By, Item>,
  body: Body,
  { summary = `Create a ${noun}.`, errors = [] }: { summary?: string; errors?: ErrorCode[] } = {},
) => ({
  method: 'POST' as const,
  path,
  tag,
  access,
  summary,
  body,
  // Only callers with a key repeat requests that failed.
  ...(access === 'key' ? { idempotent: true as const } : {}),
  responses: { 201: access === 'key' ? `The new ${noun}. \`Location\` names it.` : `The new ${noun}.` },
  status: 201,
  data: item,
  errors: ['already_exists', ...errors] as ErrorCode[],
});

export const getNamed = <const Path extends string, const By extends Access, Item extends z.ZodType>({
  path,
  noun,
  tag,
  access,
  item,
}: Named<Path, By, Item>) => ({
  method: 'GET' as const,
  path: `${path}/:id` as const,
  tag,
  access,
  summary: `Get one ${noun}.`,
  params: idParams,
  responses: { 200: `The ${noun}.` },
  data: item,
  errors: ['not_found'] as ErrorCode[],
});

/** @param errors beyond that there is none, and that the name is taken */
export const changeNamed = <
  const Path extends string,
  const By extends Access,
  Item extends z.ZodType,
  Body extends z.ZodType,
>(
  { path, noun, tag, access, item }: Named<Path, By, Item>,
  body: Body,
  { summary = `Rename a ${noun}.`, errors = [] }: { summary?: string; errors?: ErrorCode[] } = {},
) => ({
  method: 'PATCH' as const,
  path: `${path}/:id` as const,
  tag,
  access,
  summary,
  params: idParams,
  body,
  responses: { 200: `The changed ${noun}.` },
  data: item,
  errors: ['not_found', 'already_exists', ...errors] as ErrorCode[],
});

/** @param summary with what becomes of its items @param data of the answer */
export const deleteNamed = <
  const Path extends string,
  const By extends Access,
  Item extends z.ZodType,
  Data extends z.ZodType,
>(
  { path, tag, access }: Named<Path, By, Item>,
  summary: string,
  data: Data,
) => ({
  method: 'DELETE' as const,
  path: `${path}/:id` as const,
  tag,
  access,
  summary,
  params: idParams,
  responses: { 200: access === 'key' ? 'Deleted.' : 'Removed.' },
  data,
  errors: ['not_found'] as ErrorCode[],
});
