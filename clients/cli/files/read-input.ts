import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { formatBytes } from '../../shared/format.ts';
import { CommandError } from '../failures.ts';
import { toSafeName } from './safe-name.ts';

/** How a command names standard input, or output, in place of a file. */
export const standardStream = '-';

/**
 * Saves standard input as a file in a folder of its own: what is uploaded is read twice, for its checksum and to be sent. Disposing removes both.
 * @throws CommandError when nothing came
 */
export async function saveInput(
  input: NodeJS.ReadStream,
  name: string,
  signal: AbortSignal,
): Promise<AsyncDisposable & { file: string }> {
  refuseTerminal(input);
  const folder = await mkdtemp(path.join(tmpdir(), 'media-search-'));
  const dispose = () => rm(folder, { recursive: true, force: true });
  const file = path.join(folder, toSafeName(name));
  try {
    const target = createWriteStream(file, { mode: 0o600 });
    await pipeline(input, target, { signal });
    if (target.bytesWritten === 0) throw empty();
  } catch (failure) {
    await dispose();
    throw failure;
  }
  return { file, [Symbol.asyncDispose]: dispose };
}

/**
 * Reads a file from standard input.
 * @param limit bytes
 * @throws CommandError when nothing came, or more than the limit
 */
export async function readInput(
  input: NodeJS.ReadStream,
  limit: number,
  signal: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  refuseTerminal(input);
  const tooMuch = () => new CommandError(`Standard input holds more than ${formatBytes(limit)}.`);
  const bytes = await readAll(input, limit, tooMuch, signal);
  if (bytes.length === 0) throw empty();
  return bytes;
}

/**
 * Reads all of standard input, or until the signal aborts.
 * @param limit bytes
 * @param tooMuch what is thrown beyond the limit
 */
export async function readAll(
  input: NodeJS.ReadStream,
  limit: number,
  tooMuch: () => Error,
  signal: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Buffer | string>) => {
    for await (const part of source) {
      parts.push(Buffer.from(part));
      size += part.length;
      if (size > limit) throw tooMuch();
    }
  };
  await pipeline(input, collect, { signal });
  return Buffer.concat(parts);
}

const empty = () => new CommandError('Standard input is empty.');

function refuseTerminal({ isTTY }: NodeJS.ReadStream): void {
  if (isTTY) throw new CommandError(`${standardStream} reads standard input: send a file to it.`);
}
