import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors/api-error.ts';

/** Makes a scope of the dashboard: refuses requests that another site makes in a visitor's name. The cookie's `SameSite=Strict` keeps them out as well. */
export function rejectCrossSiteRequests(app: FastifyInstance, publicUrl: string | null): void {
  const publicHost = publicUrl === null ? undefined : new URL(publicUrl).host;
  app.decorate('admits', ['visitor']);
  app.addHook('onRequest', async ({ headers, host, method }) => {
    const foreign = headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
    const { origin } = headers;
    const originHost = origin === undefined ? undefined : (URL.parse(origin)?.host ?? 'unknown');
    const own = originHost === undefined || originHost === host || originHost === publicHost;
    const otherOrigin = method !== 'GET' && !own;
    if (foreign || otherOrigin) throw new ApiError('forbidden', 'Requests from other sites are refused here.');
  });
}
