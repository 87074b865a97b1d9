import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, createReadStream, openSync, readdirSync, readSync, type Stats, statSync, writeSync } from 'node:fs';
import path from 'node:path';

/**
 * A file system that shows a folder, and that can hang or fail as a share does whose server is gone: the kernel asks this process by its protocol (`linux/fuse.h`,
 * version 7.31). For root on Linux only.
 */

/** What the file system does with what it is asked. */
type MountState = 'works' | 'hangs' | 'fails';

export type FailingMount = {
  /** What is asked while it hangs is answered when it works again. */
  set: (state: MountState) => void;
  /** Takes it away, as a plug that is pulled: also where files are open. */
  unmount: () => void;
};

const operations = {
  lookup: 1,
  forget: 2,
  getattr: 3,
  open: 14,
  read: 15,
  statfs: 17,
  release: 18,
  flush: 25,
  init: 26,
  opendir: 27,
  readdir: 28,
  releasedir: 29,
  interrupt: 36,
  batchForget: 42,
};
const unanswered = new Set<number>([operations.forget, operations.interrupt, operations.batchForget]);
const errors = { noEntry: 2, io: 5, notSupported: 38 };
const headerBytes = 40;
/** More than the kernel writes at once to such a file system. */
const bufferBytes = 2 ** 18;

/** Whether this process may mount such a file system. */
export const canMount = (): boolean =>
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('test', ['-w', '/dev/fuse']).status === 0;

/** Mounts it. @param shown the folder that it shows @param at an existing folder, where it is mounted */
export function mountFailing(shown: string, at: string): FailingMount {
  const device = openSync('/dev/fuse', 'r+');
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0,default_permissions,allow_other';
  execFileSync('mount', ['-i', '-t', 'fuse', 'share', at, '-o', options], {
    stdio: ['ignore', 'pipe', 'pipe', device],
  });
  const answer = createAnswers(shown);
  let state: MountState = 'works';
  let waiting: Buffer[] = [];
  const reply = (request: Buffer): void => {
    const operation = request.readUInt32LE(4);
    if (unanswered.has(operation)) return;
    if (state === 'hangs' && operation !== operations.init) {
      waiting.push(request);
      return;
    }
    const content = state === 'fails' && operation !== operations.init ? errors.io : answer(operation, request);
    const body = typeof content === 'number' ? Buffer.alloc(0) : content;
    const head = Buffer.alloc(16);
    head.writeUInt32LE(16 + body.length, 0);
    head.writeInt32LE(typeof content === 'number' ? -content : 0, 4);
    request.copy(head, 8, 8, 16);
    try {
      writeSync(device, Buffer.concat([head, body]));
    } catch (error) {
      // Who asked has given up.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  const stream = createReadStream('', { fd: device, autoClose: false, highWaterMark: bufferBytes });
  stream.on('data', (request) => reply(Buffer.from(request as Buffer)));
  // It was taken away.
  stream.on('error', () => closeSync(device));
  return {
    set(next) {
      state = next;
      const late = waiting;
      waiting = [];
      for (const request of late) reply(request);
    },
    unmount: () => void execFileSync('umount', ['-l', at]),
  };
}

/** Answers what is asked of a folder. @returns bytes, or the number of an error */
function createAnswers(shown: string): (operation: number, request: Buffer) => Buffer | number {
  const paths = new Map([[1n, shown]]);
  const numbers = new Map([[shown, 1n]]);
  const numberOf = (file: string): bigint => {
    const known = numbers.get(file) ?? BigInt(numbers.size + 1);
    numbers.set(file, known);
    paths.set(known, file);
    return known;
  };
  const describe = (file: string, length: number, at: number): Buffer => {
    const out = Buffer.alloc(length + 88);
    writeAttributes(out.subarray(at), statSync(file), numberOf(file));
    return out;
  };
  return (operation, request) => {
    const file = paths.get(request.readBigUInt64LE(16)) ?? '';
    const body = request.subarray(headerBytes);
    try {
      switch (operation) {
        case operations.init:
          return greet();
        case operations.lookup: {
          const found = path.join(file, body.subarray(0, body.indexOf(0)).toString());
          const out = describe(found, 40, 40);
          out.writeBigUInt64LE(numberOf(found), 0);
          return out;
        }
        case operations.getattr:
          return describe(file, 16, 16);
        case operations.open:
        case operations.opendir:
          return Buffer.alloc(16);
        case operations.read:
          return readPart(file, body.readBigUInt64LE(8), body.readUInt32LE(16));
        case operations.readdir:
          return listPart(file, Number(body.readBigUInt64LE(8)), body.readUInt32LE(16));
        case operations.statfs:
          return Buffer.alloc(80);
        case operations.release:
        case operations.releasedir:
        case operations.flush:
          return Buffer.alloc(0);
        default:
          return errors.notSupported;
      }
    } catch {
      return errors.noEntry;
    }
  };
}

/** `fuse_init_out`. */
function greet(): Buffer {
  const out = Buffer.alloc(64);
  out.writeUInt32LE(7, 0);
  out.writeUInt32LE(31, 4);
  out.writeUInt32LE(2 ** 17, 8);
  out.writeUInt32LE(2 ** 16, 20);
  out.writeUInt32LE(1, 24);
  return out;
}

/** `fuse_attr`. */
function writeAttributes(out: Buffer, stats: Stats, number: bigint): void {
  const times = [stats.atimeMs, stats.mtimeMs, stats.ctimeMs];
  const long = [number, BigInt(stats.size), BigInt(stats.blocks), ...times.map((ms) => BigInt(Math.floor(ms / 1000)))];
  for (const [i, value] of long.entries()) out.writeBigUInt64LE(value, 8 * i);
  for (const [i, ms] of times.entries()) out.writeUInt32LE(Math.floor((ms % 1000) * 1e6), 48 + 4 * i);
  for (const [i, value] of [stats.mode, stats.nlink, 0, 0, 0, 4096].entries()) out.writeUInt32LE(value, 60 + 4 * i);
}

function readPart(file: string, at: bigint, length: number): Buffer {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(opened, bytes, 0, length, at));
  } finally {
    closeSync(opened);
  }
}

/** `fuse_dirent`, as many as have room. @param first how many were listed before */
function listPart(folder: string, first: number, room: number): Buffer {
  const entries: Buffer[] = [];
  let length = 0;
  for (const [i, name] of readdirSync(folder).entries()) {
    if (i < first) continue;
    const text = Buffer.from(name);
    const entry = Buffer.alloc(8 * Math.ceil((24 + text.length) / 8));
    entry.writeBigUInt64LE(BigInt(i + 10), 0);
    entry.writeBigUInt64LE(BigInt(i + 1), 8);
    entry.writeUInt32LE(text.length, 16);
    text.copy(entry, 24);
    if (length + entry.length > room) break;
    length += entry.length;
    entries.push(entry);
  }
  return Buffer.concat(entries);
}
