import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { z } from 'zod';
import { basePath, endpoints, type OperationId } from '../../contract/endpoints.ts';
import { type AnyOperation, type Operations, operations } from '../../contract/operations.ts';
import { ApiError } from './api-error.ts';

type Read<Id extends OperationId, Part extends 'params' | 'query' | 'body'> = Operations[Id] extends {
  [key in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

type MetaOf<Id extends OperationId> = Operations[Id] extends { meta: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

export type OperationInput<Id extends OperationId> = {
  workspaceId: string;
  params: Read<Id, 'params'>;
  query: Read<Id, 'query'>;
  request: FastifyRequest;
  reply: FastifyReply;
};

export type OperationResult<Id extends OperationId> = {
  data: z.output<Operations[Id]['data']>;
  meta?: MetaOf<Id>;
  /** The operation's usual one when left out. */
  status?: number;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The workspace of the API key; empty outside the API. */
    workspaceId: string;
  }
}

/** Serves an operation: checks path and query against the contract, calls the handler, wraps what it returns. */
export function serveOperation<Id extends OperationId>(
  app: FastifyInstance,
  id: Id,
  handle: (input: OperationInput<Id>) => Promise<OperationResult<Id>>,
): void {
  const { method, path } = endpoints[id];
  const operation: AnyOperation = operations[id];
  app.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const result = await handle({
        workspaceId: request.workspaceId,
        params: read(operation.params, request.params, 'path') as Read<Id, 'params'>,
        query: read(operation.query, request.query, 'query') as Read<Id, 'query'>,
        request,
        reply,
      });
      const { data, meta, status = operation.status ?? 200 } = result;
      return reply.status(status).send({ success: true, data, ...(meta ? { meta } : {}) });
    },
  });
}

/** Answers 405 with `Allow` wherever a path of the API exists but not with that method. Call it after all operations. */
export function refuseOtherMethods(app: FastifyInstance, served: OperationId[]): void {
  const byPath = Map.groupBy(served, (id) => endpoints[id].path);
  for (const [path, ids] of byPath) {
    const allowed = ids.map((id) => endpoints[id].method);
    const others = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HTTPMethods[]).filter(
      (method) => !allowed.some((allowedMethod) => allowedMethod === method),
    );
    app.route({
      method: others,
      url: path,
      handler: (request) => {
        throw new ApiError('method_not_allowed', `${basePath}${path} does not take ${request.method}.`, {
          headers: { Allow: allowed.join(', ') },
        });
      },
    });
  }
}

/** Checks a part of a request against its schema. Throws `validation_error` with one detail for each thing wrong. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema>;
export function read(schema: z.ZodType | undefined, value: unknown, place: string): unknown;
export function read(schema: z.ZodType | undefined, value: unknown, place: string): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map((issue) => ({
    path: [place, ...issue.path].join('.'),
    message: issue.message,
  }));
  throw new ApiError('validation_error', `The request is not valid: ${details[0]?.path} ${details[0]?.message}.`, {
    details,
  });
}
