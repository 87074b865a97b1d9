import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

export type FreezingProxy = AsyncDisposable & {
  port: number;
  /** From now on connections are accepted, and no byte is passed on in either direction. */
  freeze(): void;
  /** Ends what was frozen, and passes new connections on. */
  thaw(): void;
};

/** A connection over TCP to another port of this machine that may stop passing bytes, as a network does that loses its way. */
export async function startFreezingProxy(target: number): Promise<FreezingProxy> {
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (isFrozen) {
      client.resume();
      return;
    }
    const upstream = createConnection(target, '127.0.0.1');
    keep(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (bytes) => void (isFrozen || to.write(bytes)));
      from.once('close', () => void (isFrozen || to.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => void (isFrozen = true),
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
