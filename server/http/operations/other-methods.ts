import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Operation } from '../../../contract/operation.ts';
import { ApiError } from '../../errors/api-error.ts';

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
