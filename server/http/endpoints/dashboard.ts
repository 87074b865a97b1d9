import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { filesPath } from '../../assets/asset-urls.ts';
import { mcpPath } from '../mcp/serve-mcp.ts';
import { probePaths } from './probes.ts';
import { referencePath } from './reference.ts';
import { sharesPath } from './shares/shared-page.ts';

/**
 * Serves the built dashboard. Every other path that a browser opens is a view of it, so gets its page; a file that does not exist stays
 * a 404.
 * @param directory where `vite build` put it; when it is missing only the API is served
 */
export function serveDashboard(app: FastifyInstance, directory: string): void {
  if (!existsSync(path.join(directory, 'index.html'))) return;
  app.get('/*', (request, reply) => {
    const pathname = decodeURIComponent(request.url.split('?')[0] ?? '/');
    if (isServicePath(pathname)) return reply.callNotFound();
    if (path.extname(pathname) === '') {
      void reply.header('Cache-Control', 'no-cache');
      return reply.sendFile('index.html', directory, { cacheControl: false });
    }
    // Names of built files carry a hash of their content, so they never change.
    const hashed = pathname.startsWith('/assets/');
    return reply.sendFile(pathname.slice(1), directory, hashed ? { maxAge: '365d', immutable: true } : { maxAge: 0 });
  });
}

const isServicePath = (pathname: string): boolean =>
  [basePath, mcpPath, filesPath, sharesPath, '/auth', '/manage', '/.well-known', referencePath, ...probePaths].some(
    (prefix) => pathname === prefix || pathname.startsWith(`${prefix}/`),
  );
