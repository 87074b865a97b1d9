import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { checkedAgents } from '../../platform/outbound/checked-agent.ts';
import { sendMessage } from './send-message.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const agents = checkedAgents({ allowedAddresses: ['127.0.0.1'], plain: 'allowed' });
const message = { id: 'event', body: '{}' };

let server: Server | TcpServer;
afterEach(() => {
  if ('closeAllConnections' in server) server.closeAllConnections();
  server.close();
});

async function listen(listening: Server | TcpServer): Promise<string> {
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hook`;
}

const receive = (listener: RequestListener) => listen(createServer(listener));

const send = (url: string, signal = new AbortController().signal) =>
  sendMessage(message, { url, secrets: [secret] }, agents, signal);

test('a receiver that answers with success has it', async () => {
  let seen: unknown;
  const url = await receive((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      seen = [request.method, request.url, request.headers['content-type'], Buffer.concat(parts).toString()];
      response.writeHead(202).end('thanks');
    });
  });
  expect(await send(url)).toEqual({ status: 202, body: 'thanks', durationMs: expect.any(Number), error: null });
  expect(seen).toEqual(['POST', '/hook', 'application/json', '{}']);
});

test('a redirect is not followed, wherever it leads', async () => {
  let requests = 0;
  const url = await receive((_, response) => {
    requests += 1;
    response.writeHead(307, { Location: '/elsewhere' }).end();
  });
  expect(await send(url)).toMatchObject({
    status: 307,
    error: 'It answered with status 307; redirects are not followed.',
  });
  expect(requests).toBe(1);
});

test('of a body that never ends a kilobyte is read, and the connection closed', async () => {
  let sent = 0;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const url = await receive((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => {
      response.write('\0x'.repeat(500));
      sent += 1000;
    }, 1);
    response.on('close', () => {
      clearInterval(timer);
      resolve();
    });
  });
  const result = await send(url);
  expect(result).toMatchObject({ status: 200, error: null });
  expect(result.body).toHaveLength(1024);
  expect(result.body).not.toContain('\0');
  await closed;
  expect(sent).toBeLessThan(2 ** 20);
});

test('what is no answer is a failure that names no address', async () => {
  const closing = await listen(createTcpServer((socket) => socket.destroy()));
  expect(await send(closing)).toMatchObject({ status: null, error: 'It closed the connection without an answer.' });
  server.close();
  expect(await send(closing)).toMatchObject({ error: 'It refused the connection.' });
  const chattering = await listen(createTcpServer((socket) => socket.on('error', () => undefined).end('220 smtp\r\n')));
  expect((await send(chattering)).error).toMatch(/^The connection failed \(HPE_/);
  expect(await send('https://name.invalid/')).toMatchObject({
    error: 'It has no address, or one that this service does not connect to.',
  });
});

test('one that changes to another protocol is given up at once, and its connection closed', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const switching = await listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined).on('close', () => resolve());
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      );
    }),
  );
  expect(await send(switching)).toMatchObject({ status: 101, error: 'It answered with status 101.' });
  await closed;
});

test('private addresses are not connected to, whatever was checked before', async () => {
  const refused = {
    status: null,
    body: null,
    error: 'It has no address, or one that this service does not connect to.',
  };
  let requests = 0;
  const url = await receive((_, response) => {
    requests += 1;
    response.end();
  });
  const strict = checkedAgents({ allowedAddresses: [], plain: 'allowed' });
  const signal = new AbortController().signal;
  for (const each of [url, url.replace('127.0.0.1', 'localhost'), 'https://10.0.0.1/', 'http://93.184.216.34/'])
    expect(await sendMessage(message, { url: each, secrets: [secret] }, strict, signal)).toMatchObject(refused);
  expect(requests).toBe(0);
});

test('one that is silent is given up when its time is over', async () => {
  const url = await receive(() => undefined);
  const over = new AbortController();
  setTimeout(() => over.abort(), 50);
  expect(await send(url, over.signal)).toMatchObject({ status: null, error: 'It did not answer within 15 seconds.' });
});
