import { constants } from 'node:os';

/** Names of the negative error numbers that FFmpeg gives. */
const errorNames = new Map(Object.entries(constants.errno).map(([name, number]) => [-number, name]));
/**
 * No room on the disk or in a quota, a disk that fails or is read-only, too many open files; a decoder that is loaded on demand is missing while
 * the installation is being replaced.
 */
const codes = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ERR_MODULE_NOT_FOUND']);
/** libvips gives the message of the operating system, and no code. */
const libvipsMessages = /no space left on device|disk quota exceeded|read-only file system|too many open files/i;

/** Whether an error of FFmpeg, libvips or Node, or its cause, is a failure of the machine and not of the media file at hand. */
export function isMachineError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('code' in error && isMachineCode(error.code)) || libvipsMessages.test(error.message) || isMachineError(error.cause)
  );
}

function isMachineCode(code: unknown): boolean {
  if (typeof code !== 'number') return codes.has(String(code));
  // FFmpeg's demuxers report damaged files as EIO.
  const name = errorNames.get(code) ?? '';
  return name !== 'EIO' && codes.has(name);
}
