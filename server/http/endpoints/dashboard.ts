import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { filesPath } from '../../assets/asset-urls.ts';
import { mcpPath } from '../mcp/serve-mcp.ts';
import { probePaths } from './probes.ts';
import { referencePath } from './reference.ts';
import { sharesPath } from './shared-page.ts';

/**
 * Serves the built dashboard. What a browser opens is a view of it, so every path gets its page; a file that does not exist stays a 404. A
 * program that takes anything, as curl does, gets the page at `/` alone: elsewhere it has the wrong address of an endpoint, and would take
 * a page with status 200 for an answer.
 * @param directory where `vite build` put it; when it is missing only the API is served
 */
export function serveDashboard(app: FastifyInstance, directory: string): void {
  if (!existsSync(path.join(directory, 'index.html'))) return;
  app.get('/*', (request, reply) => {
    const pathname = decodeURIComponent(request.url.split('?')[0] ?? '/');
    if (isServicePath(pathname)) return reply.callNotFound();
    if (path.extname(pathname) === '') {
      void reply.header('Vary', 'Accept');
      if (!(pathname === '/' ? takesPage(request) : asksForPage(request))) return reply.callNotFound();
      void reply.header('Cache-Control', 'no-cache');
      return reply.sendFile('index.html', directory, { cacheControl: false });
    }
    // Names of built files carry a hash of their content, so they never change.
    const hashed = pathname.startsWith('/assets/');
    return reply.sendFile(pathname.slice(1), directory, hashed ? { maxAge: '365d', immutable: true } : { maxAge: 0 });
  });
}

/** Whether a client names HTML among what it takes, as every browser does that opens a page. */
const asksForPage = ({ headers }: FastifyRequest): boolean =>
  /(?:^|,)\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[;,]|$)/i.test(headers.accept ?? '');

/** Whether a client takes HTML, be it among anything. */
const takesPage = (request: FastifyRequest): boolean =>
  asksForPage(request) || /^\s*$|(?:^|[,\s])(?:\*|text)\/\*/i.test(request.headers.accept ?? '');

/** `/api` and `/v1` as a whole: what is there is the API, or a wrong address of it. */
const servicePaths = [
  '/api',
  '/v1',
  mcpPath,
  filesPath,
  sharesPath,
  '/auth',
  '/manage',
  '/.well-known',
  referencePath,
  ...probePaths,
];

/** Also in capitals and with slashes too many, as where a base URL ends in one: no view of the dashboard has either. */
function isServicePath(pathname: string): boolean {
  const usual = pathname.replaceAll(/\/+/g, '/').toLowerCase();
  return servicePaths.some((prefix) => usual === prefix || usual.startsWith(`${prefix}/`));
}
