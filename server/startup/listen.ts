import type { FastifyInstance } from 'fastify';
import { StartupError } from '../errors/startup-error.ts';
import type { Settings } from '../settings.ts';

/** Begins to accept connections. Throws `StartupError` when the address cannot be used. @returns the URL, such as `http://127.0.0.1:8080` */
export async function listen(app: FastifyInstance, settings: Pick<Settings, 'host' | 'port'>): Promise<string> {
  const { host, port } = settings;
  return app.listen({ host, port }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const reasons: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is in use by another program; stop that or set PORT to a free one.`,
      EACCES: `Port ${port} on ${host} needs rights that this user does not have; set PORT to one above 1023.`,
      EADDRNOTAVAIL: `This machine has no address ${host}; set HOST to one that it has, such as 127.0.0.1.`,
      ENOTFOUND: `The name ${host} is unknown; set HOST to an address of this machine, such as 127.0.0.1.`,
    };
    const reason = reasons[String(code)];
    throw reason ? new StartupError(reason) : error;
  });
}
