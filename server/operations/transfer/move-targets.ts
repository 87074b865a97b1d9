import path from 'node:path';
import { StartupError } from '../../errors/startup-error.ts';

/** Where a move leads: what is null stays where it is. */
export type MoveTargets = {
  /** URL of a PostgreSQL database. */
  database: string | null;
  /** URL of a bucket. */
  storage: string | null;
  /** A data folder, for both. */
  folder: string | null;
};

const moveUsage =
  'Say where to: migrate --to postgres://… and s3://…, one of the two, or a data folder. What is not named stays where it is.';

/** Reads the words after `--to`. Throws `StartupError`. */
export function parseMoveTargets(words: string[]): MoveTargets {
  const targets: MoveTargets = { database: null, storage: null, folder: null };
  for (const word of words) {
    const kind = /^postgres(?:ql)?:\/\//.test(word) ? 'database' : word.startsWith('s3://') ? 'storage' : 'folder';
    if (kind === 'folder' && word.includes('://'))
      throw new StartupError(`${word} is no place to move to. ${moveUsage}`);
    if (targets[kind] !== null) throw new StartupError(`More than one ${kind} is named. ${moveUsage}`);
    targets[kind] = kind === 'folder' ? path.resolve(word) : word;
  }
  if (words.length === 0) throw new StartupError(moveUsage);
  if (targets.folder !== null && words.length > 1) {
    throw new StartupError(`A data folder takes everything, so nothing else can be named beside it. ${moveUsage}`);
  }
  return targets;
}

/** A URL without its password, for messages. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.password !== '') parsed.password = '***';
  return parsed.href;
}
