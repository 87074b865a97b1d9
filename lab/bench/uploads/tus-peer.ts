import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

/**
 * `@tus/server` with its file store, at the address where our service has its uploads. It stores bytes, and nothing more: no sync, no checksum,
 * no catalog. What our client asks besides the protocol gets a short answer. Prints its address.
 *
 *     npm run node -- lab/bench/uploads/tus-peer.ts <folder>
 */

const tus = new Server({
  path: '/api/v1/uploads',
  datastore: new FileStore({ directory: process.argv[2] ?? '' }),
});
const state = { offset: 0, length: 0, media_id: 'none', duplicate: false, error: null };
const server = createServer((request, response) => {
  if (request.method !== 'GET') {
    void tus.handle(request, response);
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ success: true, data: state }));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once('SIGINT', () => process.exit());
