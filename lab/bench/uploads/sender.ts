import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '../../../clients/typescript/client.ts';
import { openFile } from '../../../clients/typescript/node.ts';
import { sendForm } from '../../../clients/typescript/uploads/send-form.ts';
import { sendParts } from '../../../clients/typescript/uploads/send-parts.ts';
import type { Upload } from '../../../clients/typescript/uploads/upload.ts';

/** Sends files through our client in a process of its own, so that it and what is measured beside it do not wait for one another. */

export type Sending = { way: 'tus' | 'form'; url: string; key: string; files: string[] };

const toUpload = (filename: string): Upload => ({
  filename,
  labels: {},
  signal: undefined,
  idempotencyKey: crypto.randomUUID(),
  sha256: undefined,
  address: null,
  keep(address) {
    this.address = address;
  },
  acknowledged: 0,
  report: () => undefined,
});

if (process.send && process.argv[2] === 'sender') {
  process.on('message', ({ way, url, key, files }: Sending) => {
    const send = async () => {
      const client = createClient({ url, key });
      const began = performance.now();
      for (const file of files) {
        await (way === 'tus' ? sendParts : sendForm)(client, await openFile(file), toUpload('film.mp4'));
      }
      process.send?.((performance.now() - began) / 1000);
    };
    send().catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
}

/** @returns a function that sends files one after the other and gives the seconds that it took, and one that ends the process */
export function startSender(): { send: (sending: Sending) => Promise<number>; end: () => void } {
  const child = fork(import.meta.filename, ['sender']);
  return {
    async send(sending) {
      const ending = new AbortController();
      child.once('exit', () => ending.abort(new Error('The sender ended.')));
      child.send(sending);
      const [seconds] = (await once(child, 'message', { signal: ending.signal })) as [number];
      child.removeAllListeners('exit');
      return seconds;
    },
    end: () => child.disconnect(),
  };
}
