import { z } from 'zod';
import { fields } from './fields.ts';

const namesOf = <Name extends string>(options: Record<Name, string>): Name[] => Object.keys(options) as Name[];

/** A whole number written in a query string, within `min`..`max`; anything else is a validation error, never clamped. */
export const integerParameter = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** A number written in a query string, or as a member of a JSON body, within bounds; anything else is a validation error. */
export const numberParameter = ({ integer, least, most }: { integer: boolean; least: number; most: number }) =>
  z
    .union([z.string(), z.number()])
    .transform(String)
    .pipe(
      z
        .string()
        .regex(integer ? /^\d{1,15}$/ : /^\d{1,15}(?:\.\d{1,9})?$/, `must be a ${integer ? 'whole ' : ''}number`)
        .transform(Number)
        .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`)),
    );

/** `1`/`true` or `0`/`false`; false when left out. */
export const flagParameter = z
  .stringbool({ truthy: ['1', 'true'], falsy: ['0', 'false'], error: 'must be 1, true, 0 or false' })
  .default(false);

/** A parameter that may be given several times, up to `most`; none when left out. */
export const repeatableParameter = <Value extends z.ZodType>(value: Value, most: number) =>
  z
    .preprocess(
      (given) => (given === undefined || Array.isArray(given) ? given : [given]),
      z.array(value).max(most, `must be given at most ${most} times`).optional(),
    )
    .optional();

/** An identifier in a path or a filter. Only its form is checked; one that names nothing finds nothing. */
export const identifier = z.uuid('must be an identifier (UUID)').meta({
  examples: ['01a1fbe4-6806-793e-a30f-22b8a44e4f85'],
});

/** Identifiers in a query string with commas in between, 1 to 100. */
export const identifierList = z
  .string()
  .regex(/^[0-9a-f-]{36}(?:,[0-9a-f-]{36}){0,99}$/, 'must be 1 to 100 identifiers with commas in between');

export const timestamp = z.iso.datetime().meta({ examples: ['2026-11-21T09:30:00.000Z'] });

/** A moment, or a day of the calendar. */
export const dateParameter = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be a date (2026-07-14) or a time (2026-07-14T19:12:08Z)',
  })
  .meta({ examples: ['2026-07-14', '2026-07-14T19:12:08Z'] });

export const pageParameters = {
  page: integerParameter(1, 1_000_000_000).default(1).describe('Page number, from 1.'),
  per_page: integerParameter(1, 100).default(20).describe('Entries a page, at most 100.'),
};

export const mediaType = z.enum(namesOf(fields.type.options));

export const mediaStatus = z.enum(namesOf(fields.status.options));

export const idParams = z.object({ id: identifier });

export const pageMeta = z
  .object({
    total: z.int().min(0).describe('Entries on all pages.'),
    page: z.int().min(1),
    per_page: z.int().min(1).max(100),
    total_pages: z.int().min(0),
    has_more: z.boolean().describe('Whether a page follows this one.'),
  })
  .meta({ id: 'PageMeta', examples: [{ total: 1, page: 1, per_page: 20, total_pages: 1, has_more: false }] });

/** What is answered when something was deleted. */
export const deleted = z
  .object({ id: identifier, deleted: z.literal(true) })
  .meta({ id: 'Deleted', examples: [{ id: '01a1fbe4-6806-793e-a30f-22b8a44e4fb0', deleted: true }] });
