import { z } from 'zod';

export type Json = { [key: string]: unknown };

/**
 * JSON Schema (2020-12) of a value. Schemas with an `id` move to the components and are referred to.
 * @param io `input`: as a client sends it; `output`: as it is once read, and as the service answers
 */
export function toJsonSchema(schema: z.core.$ZodType, components: Json, io: 'input' | 'output' = 'output'): Json {
  const {
    $schema: _,
    $defs,
    ...json
  } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    // Later versions may add fields: a client that refuses unknown ones would break.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  }) as Json;
  const { id, ...own } = rewriteReferences(json) as Json;
  for (const [name, definition] of Object.entries(($defs ?? {}) as Json)) {
    const { id: _id, ...body } = rewriteReferences(definition) as Json;
    components[name] = body;
  }
  if (typeof id !== 'string') return own;
  components[id] = own;
  return { $ref: `#/components/schemas/${id}` };
}

function rewriteReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewriteReferences);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : rewriteReferences(inner),
    ]),
  );
}

/** The example that a schema carries, or one made of those of its parts; undefined when there is none. */
export function exampleOf(schema: z.core.$ZodType): unknown {
  const { examples } = z.globalRegistry.get(schema) ?? {};
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as unknown;
  if (schema instanceof z.ZodArray) {
    const element = exampleOf(schema.element);
    return element === undefined ? undefined : [element];
  }
  return schema instanceof z.ZodNullable ? exampleOf(schema.unwrap()) : undefined;
}
