import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { describeIssue } from '../../../contract/describe-issue.ts';
import type { ErrorDetail } from '../../../contract/errors.ts';
import type { Access, Operation } from '../../../contract/operation.ts';
import type { pageMeta } from '../../../contract/parameters.ts';
import { removeNull } from '../../catalog/remove-null.ts';
import { ApiError, validationError } from '../../errors/api-error.ts';
import { admitRequest, maxWaitSeconds, type RequestKind, runAdmitted } from '../limits/concurrency-limit.ts';
import { isHandlerTimeout, startDeadline } from '../limits/deadline.ts';
import { sendConditionally } from '../protocol/responses.ts';
import { createJsonReader } from '../request-bodies/read-json.ts';
import { findMisnamed, maxDetails } from './find-misnamed.ts';
import { describeResponses } from './response-schemas.ts';

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type PartOf<Op, Key extends keyof Operation> = Op extends { [key in Key]: infer Schema } ? Parsed<Schema> : undefined;

export type OperationInput<Op extends Operation> = {
  workspaceId: string;
  params: PartOf<Op, 'params'>;
  query: PartOf<Op, 'query'>;
  headers: PartOf<Op, 'headers'>;
  /** The JSON body; undefined for a multipart form. */
  body: Op extends { form: unknown } ? PartOf<Op, 'body'> | undefined : PartOf<Op, 'body'>;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Aborts when the client has disconnected or the time is up. */
  signal: AbortSignal;
};

export type OperationResult<Op extends Operation> = {
  /** A file is its bytes, as a whole or piece by piece. */
  data: Op extends { file: unknown } ? Buffer | Readable : z.output<Op['data']>;
  meta?: PartOf<Op, 'meta'>;
  /** The operation's usual one when left out. */
  status?: number;
};

export type OperationOptions<Op extends Operation> = {
  /** How long it may take, 30 by default; null: as long as the client waits. */
  timeoutSeconds?: number | null;
  /** What it costs, which bounds how many of its kind a workspace may have in flight; `light` by default. */
  kind?: RequestKind | ((query: PartOf<Op, 'query'>) => RequestKind);
  /** HEAD, where it does more than GET without its body. To be served before that. */
  method?: 'HEAD';
  onRequest?: (request: FastifyRequest) => Promise<void>;
  /** Whom `onRequest` lets through, where that is not for the scope to decide. */
  admits?: readonly Access[];
};

declare module 'fastify' {
  interface FastifyInstance {
    /** Whom the hooks of this scope let through. */
    admits?: readonly Access[];
  }
  interface FastifyRequest {
    /** The workspace of the API key or of the session; empty without either. */
    workspaceId: string;
  }
}

/**
 * Serves an operation: checks path, query and body against the contract, calls the handler, and sends of its result what the contract
 * names. Throws, and so ends the start, where no hook checks the access that it needs (`access`): a forgotten check would open it to all.
 */
export function serveOperation<const Op extends Operation>(
  app: FastifyInstance,
  operation: Op,
  handle: (input: OperationInput<Op>) => Promise<OperationResult<Op>>,
  options: OperationOptions<Op> = {},
): void {
  const { timeoutSeconds = 30, kind = 'light', admits = app.admits ?? [] } = options;
  const { access, method, path } = operation;
  if (!admits.includes(access)) throw new Error(`Nothing checks that only a ${access} calls ${method} ${path}.`);
  const readJson = createJsonReader(app);
  /** Parses the JSON body, which costs: only when it is the request's turn. */
  const readBody = async (request: FastifyRequest) =>
    Buffer.isBuffer(request.body) ? readJson(request, request.body, operation.bodyLimit) : undefined;
  /** The parsed URL of a request, available as soon as its head has arrived. */
  const heads = new WeakMap<FastifyRequest, { query: PartOf<Op, 'query'>; kind: RequestKind }>();
  app.route({
    method: options.method ?? operation.method,
    url: operation.path,
    schema: { response: describeResponses(operation) },
    onRequest: async (request, reply) => {
      await slowRefusal(options.onRequest?.(request));
      const query = validate(operation.query ?? nothing, request.query, 'query') as PartOf<Op, 'query'>;
      const kindOfRequest = typeof kind === 'function' ? kind(query) : kind;
      heads.set(request, { query, kind: kindOfRequest });
      await admitRequest(request, reply, kindOfRequest);
    },
    ...(operation.bodyLimit ? { bodyLimit: operation.bodyLimit.bytes } : {}),
    // Bounds how slowly a JSON body may come in, after its turn; from then on our own deadline counts.
    ...(timeoutSeconds === null ? {} : { handlerTimeout: 1000 * (maxWaitSeconds + timeoutSeconds + 5) }),
    handler: async (request, reply) => {
      const head = heads.get(request) as { query: PartOf<Op, 'query'>; kind: RequestKind };
      const isForm = checkBodyType(operation, request);
      using deadline = startDeadline(request, reply, timeoutSeconds);
      const { signal } = deadline;
      const readInput = async () => ({
        workspaceId: request.workspaceId,
        params: validate(operation.params, request.params, 'path'),
        query: head.query,
        headers: validate(operation.headers, pickHeaders(operation, request), 'header'),
        body: isForm ? undefined : validate(operation.body ?? nothing, (await readBody(request)) ?? {}, 'body'),
        request,
        reply,
        signal,
      });
      const run = async () => handle((await readInput()) as OperationInput<Op>);
      const work = deadline.limit(runAdmitted(request, head.kind, signal, run));
      // Fastify has answered a request that took too long to arrive, and logs each further answer.
      const result = await work.catch((error: unknown) => {
        if (isHandlerTimeout(signal.reason)) return null;
        throw error;
      });
      if (!result) return reply;
      const { data, meta, status = operation.status ?? 200 } = result;
      const body = { success: true, data, ...(meta ? { meta } : {}) };
      void reply.status(status);
      if (operation.empty) return reply.send();
      if (operation.file) return reply.send(data);
      return operation.conditional ? sendConditionally(request, reply, body) : reply.send(body);
    },
  });
}

/** How long a refusal waits, ms. */
const refusalMs = 200;

/** Delays a refusal for too many requests: clients that ask again at once would keep this thread busy with refusals. */
async function slowRefusal(check: Promise<void> | undefined): Promise<void> {
  await check?.catch(async (error: unknown) => {
    if (error instanceof ApiError && error.code === 'throttled') await setTimeout(refusalMs);
    throw error;
  });
}

/** The schema where an operation takes no parameters, or no fields in its body. */
const nothing: z.ZodType = z.object({});

/** The header fields that an operation reads, by the names that it has for them. */
const pickHeaders = ({ headers }: Operation, request: FastifyRequest): Record<string, unknown> =>
  Object.fromEntries(Object.keys(headers?.shape ?? {}).map((name) => [name, request.headers[name.toLowerCase()]]));

/** Whether the body is a form. Throws `unsupported_media_type` for a form that the operation does not take. */
function checkBodyType({ body, form }: Operation, request: FastifyRequest): boolean {
  const multipart = /^multipart\//i.test(request.headers['content-type'] ?? '');
  if (multipart && !form) throw new ApiError('unsupported_media_type', 'The body must be JSON.');
  return form !== undefined && (multipart || body === undefined);
}

/**
 * Checks a part of a request against its schema. U+0000, which PostgreSQL stores in no text, is removed from its texts. Throws
 * `validation_error` with a detail for each of the first `maxDetails` things that are wrong, unknown names among them.
 * @param place `path`, `query`, `body`, or `header`: only query and body are all ours, so that every name in them has to be known
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema>;
export function validate(schema: z.ZodType | undefined, value: unknown, place: string): unknown;
export function validate(schema: z.ZodType | undefined, value: unknown, place: string): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(removeNulls(value), { error: describeIssue });
  const misnamed = ['query', 'body'].includes(place) ? findMisnamed(schema, value, place) : [];
  if (result.success && misnamed.length === 0) return result.data;
  const issues = (result.error?.issues ?? [])
    .slice(0, maxDetails)
    .map(({ path, message }) => ({ path: [place, ...path].join('.'), message }));
  const isNew = ({ path }: ErrorDetail) => !misnamed.some((other) => other.path === path);
  throw validationError([...misnamed, ...issues.filter(isNew)].slice(0, maxDetails));
}

/** Goes as deep as the value, which `readJson` has bounded. */
function removeNulls(value: unknown): unknown {
  if (typeof value === 'string') return removeNull(value);
  if (Array.isArray(value)) return value.map(removeNulls);
  if (value === null || typeof value !== 'object' || ![null, Object.prototype].includes(Object.getPrototypeOf(value)))
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, removeNulls(member)]));
}

/** Where a page stands among all. */
export const toPageMeta = (
  { page, per_page }: { page: number; per_page: number },
  total: number,
): z.output<typeof pageMeta> => ({
  total,
  page,
  per_page,
  total_pages: Math.ceil(total / per_page),
  has_more: page * per_page < total,
});

/** Answers 405 with `Allow` wherever a path exists but not with that method. Call it after all operations. */
export function rejectOtherMethods(app: FastifyInstance, served: Pick<Operation, 'method' | 'path'>[]): void {
  for (const [path, operations] of Map.groupBy(served, (operation) => operation.path)) {
    const methods = operations.map(({ method }) => method);
    const refuse = async (request: FastifyRequest) => {
      throw new ApiError('method_not_allowed', `${app.prefix}${path} does not take ${request.method}.`, {
        headers: { Allow: allowed.join(', ') },
      });
    };
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])];
    app.route({
      // OPTIONS is the browsers' question about other origins.
      method: app.supportedMethods.filter((method) => method !== 'OPTIONS' && !allowed.includes(method)),
      url: path,
      // Before its body is read.
      onRequest: refuse,
      handler: refuse,
    });
  }
}
