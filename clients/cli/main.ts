#!/usr/bin/env node
import envPaths from 'env-paths';
import { exitCodes } from './failures.ts';
import { run } from './program.ts';

// Warnings about deprecated calls of libraries (tus-js-client: url.parse) do not help users of the program.
process.noDeprecation = true;

/** After Ctrl-C the reader of standard output has this long for the rest, milliseconds. */
const lastReadMs = 1000;

/** The process: its arguments and streams, and the signals that end it. */
const interrupted = new AbortController();
const unread = new AbortController();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second Ctrl-C ends the program at once.
    if (interrupted.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    interrupted.abort();
  });
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (failure: NodeJS.ErrnoException) => {
    // The reader has closed its end, as `head` does. The command still completes, so that its exit code is true.
    if (failure.code === 'EPIPE') {
      if (stream === process.stdout) unread.abort();
      return;
    }
    // As when it goes to a file on a disk that is full.
    process.stderr.write(`The output cannot be written: ${failure.message}\n`, () => process.exit(exitCodes.failed));
  });
}

const { config, data } = envPaths('media-search', { suffix: '' });

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  folders: { config, state: data },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupted.signal,
  unread: unread.signal,
});

// Output that is not read keeps the process alive, also after Ctrl-C.
if (interrupted.signal.aborted && process.stdout.writableLength > 0)
  setTimeout(() => process.exit(), lastReadMs).unref();
