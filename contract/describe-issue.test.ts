import { expect, test } from 'vitest';
import { z } from 'zod';
import { dashboardOperations } from './dashboard-operations.ts';
import { describeIssue } from './describe-issue.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';

const say = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value, { error: describeIssue }).error?.issues.map(({ message }) => message) ?? [];

test.each([
  [z.object({ a: z.string() }), {}, 'is required'],
  [z.object({ a: z.enum(['x', 'y', 'z']) }), {}, 'is required'],
  [z.object({ a: z.union([z.string(), z.number()]) }), {}, 'is required'],
  [z.string(), 5, 'must be text'],
  [z.number(), 'x', 'must be a number'],
  [z.number(), null, 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 1, 'must be true or false'],
  [z.array(z.string()), {}, 'must be a list'],
  [z.object({}), [], 'must be an object'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(3), 'ab', 'must have at least 3 characters'],
  [z.string().max(1), 'ab', 'must have at most 1 character'],
  [z.array(z.int()).min(2), [1], 'must have at least 2 entries'],
  [z.array(z.int()).max(1), [1, 2], 'must have at most 1 entry'],
  [z.number().min(3), 2, 'must be at least 3'],
  [z.number().max(3), 4, 'must be at most 3'],
  [z.number().gt(3), 3, 'must be more than 3'],
  [z.number().lt(3), 3, 'must be less than 3'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.enum(['x', 'y', 'z']), 'a', 'must be x, y or z'],
  [z.literal(true), false, 'must be true'],
  [z.email(), 'a', 'must be an e-mail address'],
  [z.url(), 'a', 'must be a URL'],
  [z.uuid(), 'a', 'must be an identifier (UUID)'],
  [z.string().regex(/^a$/), 'b', 'is not of the right form'],
  [z.strictObject({}), { b: 1 }, 'must not have `b`'],
  [z.union([z.string(), z.number()]), true, 'is of none of the kinds that are taken here'],
  [z.string('must be a name'), 5, 'must be a name'],
])('case %#: what is wrong is said in words', (schema, value, message) => {
  expect(say(schema, value)).toEqual([message]);
});

test('no schema of the contract has a message of the library', () => {
  const values = [undefined, null, 5, -1, 1.5, true, '', 'x', 'x'.repeat(100_000), [], ['x'], {}, { image: 5, url: 5 }];
  const all: Operation[] = [...Object.values(operations), ...Object.values(dashboardOperations)];
  for (const { params, query, body, form } of all) {
    const objects = [params, query, body, form].filter((schema) => schema !== undefined);
    const fields = objects.flatMap((schema) => (schema instanceof z.ZodObject ? Object.values(schema.shape) : []));
    for (const schema of [...objects, ...(fields as z.ZodType[])]) {
      for (const message of values.flatMap((value) => say(schema, value))) {
        expect(message).toMatch(/^(must|is|needs|cannot|names) /);
        expect(message).not.toMatch(/expected|received|undefined|invalid|too (small|big)/i);
      }
    }
  }
});
