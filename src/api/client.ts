import type { output, input, ZodType } from 'zod';
import { basePath, endpoints, type OperationId } from '../../contract/endpoints.ts';
import type { ErrorCode, ErrorDetail } from '../../contract/errors.ts';
import type { Operations } from '../../contract/operations.ts';

type Query<Id extends OperationId> = Operations[Id] extends { query: infer Schema extends ZodType }
  ? Partial<Record<keyof input<Schema>, string | number | boolean | undefined>>
  : undefined;
type Data<Id extends OperationId> = output<Operations[Id]['data']>;
type Meta<Id extends OperationId> = Operations[Id] extends { meta: infer Schema extends ZodType }
  ? output<Schema>
  : undefined;

export type Answer<Id extends OperationId> = { data: Data<Id>; meta: Meta<Id> };

/** A refusal or failure of the service. `code` is what to decide by; `message` is for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode | 'offline';
  readonly status: number;
  readonly requestId: string | null;
  readonly details: ErrorDetail[];

  constructor(
    code: ErrorCode | 'offline',
    message: string,
    about: { status: number; requestId: string | null; details?: ErrorDetail[] },
  ) {
    super(message);
    this.code = code;
    this.status = about.status;
    this.requestId = about.requestId;
    this.details = about.details ?? [];
  }
}

/** The workspace's key, from the session. Kept in memory only: a script that reads storage does not find it. */
let apiKey: string | null = null;

export function setApiKey(key: string | null): void {
  apiKey = key;
}

export const authorization = (): Record<string, string> => (apiKey ? { Authorization: `Bearer ${apiKey}` } : {});

/** Calls an operation of the API. Throws `ApiError`. */
export async function request<Id extends OperationId>(
  id: Id,
  options: { params?: Record<string, string>; query?: Query<Id>; signal?: AbortSignal } = {},
): Promise<Answer<Id>> {
  const { method, path } = endpoints[id];
  const address = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(options.params?.[name] ?? ''));
  const query = new URLSearchParams(
    Object.entries(options.query ?? {}).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, `${value as string | number | boolean}`]],
    ),
  );
  const response = await send(`${basePath}${address}${query.size > 0 ? `?${query}` : ''}`, {
    method,
    headers: authorization(),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return (await readEnvelope(response)) as Answer<Id>;
}

/** Calls an endpoint outside the API: the session. Throws `ApiError`. */
export async function requestSession(
  path: string,
  options: { body?: unknown; signal?: AbortSignal },
): Promise<unknown> {
  const { body, signal } = options;
  const response = await send(path, {
    ...(body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  return (await readEnvelope(response)).data;
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError('offline', 'The service cannot be reached.', { status: 0, requestId: null });
  }
}

async function readEnvelope(response: Response): Promise<{ data: unknown; meta: unknown }> {
  return openEnvelope(response.status, await response.text(), response.headers.get('X-Request-Id'));
}

/** Opens the envelope of a response. Throws `ApiError` when it holds a failure, or is none at all. */
export function openEnvelope(status: number, text: string, requestId: string | null): { data: unknown; meta: unknown } {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A proxy in between answers in its own words; the status is all there is to tell.
  }
  if (body['success'] === true) return { data: body['data'], meta: body['meta'] };
  const { code, message, details } = (body['error'] ?? {}) as {
    code?: ErrorCode;
    message?: string;
    details?: ErrorDetail[];
  };
  throw new ApiError(code ?? 'unavailable', message ?? `The service answered with status ${status}.`, {
    status,
    requestId,
    ...(details ? { details } : {}),
  });
}
