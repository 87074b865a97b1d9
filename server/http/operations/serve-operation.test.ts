import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import type { Access, Operation } from '../../../contract/operation.ts';
import { flagParameter } from '../../../contract/parameters.ts';
import { ApiError } from '../../errors/api-error.ts';
import { startTestService } from '../../testing/running-service.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';
import { registerErrorHandling } from '../errors/error-handler.ts';
import { maxWaitSeconds } from '../limits/concurrency-limit.ts';
import { createEtag } from '../protocol/responses.ts';
import { serveOperation } from './serve-operation.ts';

const label = z.object({ id: z.string(), name: z.string().nullable() }).meta({ id: 'TestLabel' });

const operation = {
  method: 'GET',
  path: '/items',
  tag: 'Media',
  access: 'anyone',
  summary: 'List items.',
  responses: { 200: 'The items.' },
  data: z.array(
    z.object({
      id: z.string(),
      size: z.int(),
      label: label.nullable(),
      labels: z.array(label),
      at: z.iso.datetime().nullable(),
      note: z.string().optional(),
    }),
  ),
  meta: z.object({ total: z.int(), page: z.object({ number: z.int() }) }),
  errors: [],
} as const satisfies Operation;

const secret = 'not in the contract';
const wide = { id: 'b', name: 'Two', secret };
const row = {
  id: 'a',
  size: 3,
  label: wide,
  labels: [wide, { ...wide, name: null }],
  at: '2026-11-21T09:31:00.000Z',
  secret,
};
const narrow = { id: 'b', name: 'Two' };

/** The answer of an operation whose handler returns more than the contract names. */
async function request(changed: Partial<Operation>, headers: Record<string, string> = {}) {
  const app = Fastify();
  app.decorate('admits', ['anyone']);
  registerErrorHandling(app);
  serveOperation(app, { ...operation, ...changed } as typeof operation, async () => ({
    data: [row, { ...row, label: null, at: null, note: 'n' }],
    meta: { total: 2, page: { number: 1, secret }, secret },
  }));
  return app.inject({ method: 'GET', url: '/items', headers });
}

const expected = {
  success: true,
  data: [
    { id: 'a', size: 3, label: narrow, labels: [narrow, { id: 'b', name: null }], at: '2026-11-21T09:31:00.000Z' },
    { id: 'a', size: 3, label: null, labels: [narrow, { id: 'b', name: null }], at: null, note: 'n' },
  ],
  meta: { total: 2, page: { number: 1 } },
};

test.each([
  ['a usual answer', {}],
  ['a status that the operation does not name', { status: 203 }],
  ['an answer with an ETag', { conditional: true as const }],
])('%s holds what the contract names, and nothing else', async (_, changed) => {
  const response = await request(changed);
  expect(response.statusCode).toBe('status' in changed ? 203 : 200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.json()).toEqual(expected);
});

test('an ETag depends only on what is sent: a field outside the contract makes no difference', async () => {
  const { body, headers } = await request({ conditional: true });
  expect(headers.etag).toBe(createEtag(body));
  const again = await request({ conditional: true }, { 'If-None-Match': String(headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('an error contains only fields of the contract', async () => {
  const app = Fastify();
  app.decorate('admits', ['anyone']);
  registerErrorHandling(app);
  serveOperation(app, operation, () => {
    throw new ApiError('validation_error', 'Wrong.', {
      details: [{ path: 'query.a', message: 'is wrong', secret } as { path: string; message: string }],
    });
  });
  const response = await app.inject({ method: 'GET', url: '/items' });
  expect(response.statusCode).toBe(400);
  expect(response.json()).toEqual({
    success: false,
    error: { code: 'validation_error', message: 'Wrong.', details: [{ path: 'query.a', message: 'is wrong' }] },
  });
});

test('a stored response of an earlier version, which lacks a later field, is still sent', async () => {
  const app = Fastify();
  app.decorate('admits', ['anyone']);
  registerErrorHandling(app);
  serveOperation(app, operation, async () => ({ data: [{ id: 'a' }] as never, meta: { total: 1 } as never }));
  const response = await app.inject({ method: 'GET', url: '/items' });
  expect(response.json()).toEqual({ success: true, data: [{ id: 'a' }], meta: { total: 1 } });
});

test('the cost of a request follows from its parsed query', async () => {
  const app = Fastify();
  app.decorate('admits', ['anyone']);
  registerErrorHandling(app);
  const kinds: string[] = [];
  const searching = { ...operation, query: z.object({ rerank: flagParameter }) } as const satisfies Operation;
  const kind = ({ rerank }: { rerank: boolean }) => {
    kinds.push(rerank ? 'rerank' : 'search');
    return 'search' as const;
  };
  serveOperation(app, searching, async () => ({ data: [], meta: { total: 0, page: { number: 1 } } }), { kind });
  for (const query of ['', '?rerank=1', '?rerank=true', '?rerank=0', '?rerank=false']) {
    expect((await app.inject({ method: 'GET', url: `/items${query}` })).statusCode, query).toBe(200);
  }
  expect(kinds).toEqual(['search', 'rerank', 'rerank', 'search', 'search']);
  expect((await app.inject({ method: 'GET', url: '/items?rerank=yes' })).statusCode).toBe(400);
  expect(kinds).toHaveLength(5);
});

test.each([
  ['key', undefined],
  ['member', undefined],
  ['anyone', undefined],
  ['key', ['visitor']],
  ['owner', ['visitor']],
  ['visitor', ['key']],
  ['member', ['key']],
] as [Access, Access[] | undefined][])(
  'an operation for a %s is not served where %j are let through',
  (access, admits) => {
    const app = Fastify();
    if (admits) app.decorate('admits', admits);
    expect(() => serveOperation(app, { ...operation, access }, () => expect.unreachable())).toThrow(
      `Nothing checks that only a ${access} calls GET /items.`,
    );
    const serve = () => serveMemberOperation(app, null as never, { ...operation, access }, () => expect.unreachable());
    if (admits?.includes('visitor') && access === 'owner') expect(serve).not.toThrow();
    else expect(serve).toThrow(/Pages of other sites|Nothing checks/);
  },
);

test('the service does not start where an operation is served without what its access asks for', async () => {
  const own = dashboardOperations.renameWorkspace as { access: Access };
  // As if somebody had described it so, and forgotten how it is served.
  own.access = 'key';
  try {
    await expect(startTestService({ workers: 0 })).rejects.toThrow('only a key calls PATCH /manage/workspace');
  } finally {
    own.access = 'owner';
  }
});

test('a request that Fastify ends while its handler runs is answered once, and its work is told to stop', async () => {
  const lines: string[] = [];
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } } });
  app.decorate('admits', ['anyone']);
  registerErrorHandling(app);
  const ended: boolean[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const headMs = 1000 * (maxWaitSeconds + 6) - 100;
  // The head takes nearly all of the time: of the second for the work a part is left, and it takes no notice of its signal.
  const arrive = () => new Promise<void>((resolve) => setTimeout(resolve, headMs));
  for (const [path, fails] of [
    ['/returns', false],
    ['/throws', true],
  ] as const) {
    const handle = async ({ signal }: { signal: AbortSignal }) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      ended.push(signal.aborted);
      if (fails) throw new Error('late');
      return { data: [], meta: { total: 0, page: { number: 1 } } };
    };
    serveOperation(app, { ...operation, path } as unknown as typeof operation, handle, {
      timeoutSeconds: 1,
      onRequest: arrive,
    });
  }
  const answered = Promise.all(['/returns', '/throws'].map((url) => app.inject({ method: 'GET', url })));
  try {
    for (let waited = 0; waited < headMs + 500; waited += 50) await vi.advanceTimersByTimeAsync(50);
  } finally {
    vi.useRealTimers();
  }
  expect((await answered).map(({ statusCode }) => statusCode)).toEqual([503, 503]);
  expect(ended).toEqual([true, true]);
  await app.close();
  expect(lines).toEqual([]);
});
