import fastJsonStringify from 'fast-json-stringify';
import { z } from 'zod';
import { errorBody, successBody } from '../../../contract/envelope.ts';
import type { Operation } from '../../../contract/operation.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * What Fastify's serializer writes the responses of an operation by: fields that are not named here are left out. The schemas hold
 * the structure of the contract without its bounds, formats and required fields: whether values are right is for the tests to
 * check, not for each response. So a response that an earlier version stored is sent as it is.
 */
export function describeResponses(operation: Operation): Partial<Record<'2xx' | '4xx' | '5xx', JsonSchema>> {
  const failures = { '4xx': errorStructure, '5xx': errorStructure };
  if (operation.file || operation.empty) return failures;
  const known = successStructures.get(operation);
  const success = known ?? structureOf(successBody(operation));
  if (!known) successStructures.set(operation, success);
  return { '2xx': success, ...failures };
}

/** Kept because several services may run in one process, as those of the tests do. */
const successStructures = new WeakMap<Operation, JsonSchema>();

type Serialize = (body: unknown) => string;

/**
 * How Fastify writes a response by a schema. It is compiled when the first response is sent: to compile those of all operations would be
 * a third of what the start of the service computes.
 */
export function compileWhenSent({ schema }: { schema: object }): Serialize {
  return (body) => {
    let serialize = serializers.get(schema);
    if (!serialize) {
      serialize = fastJsonStringify(schema) as Serialize;
      serializers.set(schema, serialize);
    }
    return serialize(body);
  };
}

const serializers = new WeakMap<object, Serialize>();

/** The keywords that say which fields there are, and the types by which fast-json-stringify chooses how to write a value. */
const structural = new Set(['type', 'properties', 'items', 'anyOf', '$ref']);

function structureOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-07',
    override({ jsonSchema }) {
      // A record has the type of its values here; an object says only whether other fields may be there.
      const isRecord = typeof jsonSchema.additionalProperties === 'object' && jsonSchema.additionalProperties.type;
      for (const keyword of Object.keys(jsonSchema)) {
        const isStructural = structural.has(keyword) || (keyword === 'additionalProperties' && isRecord);
        if (!isStructural) delete jsonSchema[keyword];
      }
      // As an integer, a fraction would be rounded silently.
      if (jsonSchema.type === 'integer') jsonSchema.type = 'number';
    },
  });
}

const errorStructure = structureOf(errorBody);
