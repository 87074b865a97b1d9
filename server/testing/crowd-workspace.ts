import { connect } from 'node:net';
import { expect } from 'vitest';

/**
 * Sends heads of requests until a further one is refused because too many wait. Dispose of it to hang up.
 * @param heads of requests whose body never comes: as many as may be in flight and wait
 * @param ask sends a further one. It may arrive before the last of the others: then it waits among them until the signal aborts, and that
 * one was refused in its place, so another head is sent
 */
export async function crowdWorkspace(
  url: string,
  heads: string[],
  ask: (signal: AbortSignal) => Promise<{ status: number }>,
): Promise<Disposable> {
  const send = (head: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(head);
    return socket;
  };
  const sockets = heads.map(send);
  const status = () =>
    ask(AbortSignal.timeout(2000)).then(
      (response) => response.status,
      () => {
        sockets.push(send(heads[0] ?? ''));
        return 'waits';
      },
    );
  await expect.poll(status, { timeout: 40_000 }).toBe(429);
  return {
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
