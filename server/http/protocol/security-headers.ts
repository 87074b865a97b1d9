import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** Adds the headers that tell browsers what pages of this service may load. Call it before all routes. */
export async function addSecurityHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        // Checksums of files are computed by WebAssembly before they are sent.
        'script-src': ["'self'", "'wasm-unsafe-eval'"],
        // Data and media, never scripts, may come from another service that the dashboard is connected to.
        'connect-src': ["'self'", 'http:', 'https:'],
        'img-src': ["'self'", 'blob:', 'data:', 'http:', 'https:'],
        'media-src': ["'self'", 'blob:', 'http:', 'https:'],
        // Components place menus and progress bars by style attributes.
        'style-src': ["'self'", "'unsafe-inline'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
        'object-src': ["'none'"],
      },
    },
    // Plain HTTP on a local network is a normal way to run this service.
    strictTransportSecurity: false,
  });
}
