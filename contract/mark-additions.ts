import type { Json } from './json-schema.ts';
import type { operations } from './operations.ts';

type Schema = { properties: Record<string, Json & Schema> };
type Parameter = Json & { name: string; in: string };
type Described = Json & {
  operationId: keyof typeof specifiedParameters;
  parameters?: Parameter[];
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
};

/** Marks in the OpenAPI document of the API, with `x-addition: true`, every operation, parameter and field that the specification does not name. */
export function markAdditions(document: Json): void {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, Schema> };
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const operation of operations) {
    const named = specifiedParameters[operation.operationId];
    // An operation that is an addition needs no marks within.
    if (!named) mark(operation);
    else markParameters(operation.parameters ?? [], named);
    const answer = operation.responses['200']?.content['application/json']?.schema;
    if (operation.operationId === 'searchMedia') markFields(answer?.properties['meta'], specifiedSearchMeta);
  }
  markFields(components.schemas['SearchHit'], specifiedHit);
  markFields(components.schemas['Error']?.properties['error'], specifiedError);
}

function markParameters(parameters: Parameter[], named: readonly string[]): void {
  for (const parameter of parameters) {
    if (parameter.in !== 'path' && !named.includes(parameter.name)) mark(parameter);
  }
}

const mark = (part: Json): void => void (part['x-addition'] = true);

/** Throws where there is no such schema: what the document has no more cannot be marked. */
function markFields(schema: Schema | undefined, named: string[]): void {
  if (!schema) throw new Error('The OpenAPI document lacks a schema that the specification names.');
  for (const [name, field] of Object.entries(schema.properties)) if (!named.includes(name)) mark(field);
}

/**
 * What the specification of the service names: its fourteen endpoints with their parameters, and fields of what they answer. Whatever the
 * OpenAPI document has beyond is marked `x-addition`. Where the specification shows no fields at all (items, creators, categories, the
 * workspace, bodies of requests), there is nothing to go beyond, and nothing is marked.
 */
const pages = ['page', 'per_page'] as const;
const labels = ['creator_id', 'category_id'] as const;

/** The parameters of each endpoint in the URL's query. */
const specifiedParameters: Partial<Record<keyof typeof operations, readonly string[]>> = {
  listMedia: [...pages, ...labels, 'status', 'type'],
  getMedia: [],
  uploadMedia: [],
  searchMedia: ['q', 'n', 'dedupe', 'rerank', ...labels],
  searchMediaByImage: ['dedupe', ...labels],
  listHighlights: ['method', ...labels],
  deleteMedia: [],
  listCreators: [...pages, ...labels],
  createCreator: [],
  getCreator: [],
  listCategories: [...pages, ...labels],
  getCategory: [],
  getWorkspace: [],
  getOpenApi: [],
};

/** The fields of a search hit. */
const specifiedHit = ['id', 'filename', 'score', 'start', 'end', 'url', 'thumbnail', 'type'];

/** The fields of `meta` that a text search answers with. */
const specifiedSearchMeta = ['query'];

/** The fields of `error`. */
const specifiedError = ['code', 'message'];
