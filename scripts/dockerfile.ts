import { readdirSync } from 'node:fs';
import path from 'node:path';

/** An instruction of a Dockerfile, and the stage that it belongs to. */
export type Instruction = { stage: number; name: string; value: string };

/** The instructions in their order; lines that a backslash joins are one. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  let stage = -1;
  return lines.map((line) => {
    const [, name = '', value = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stage += 1;
    if (stage < 0 || value === '') throw new Error(`This is no instruction of a stage: ${line}`);
    return { stage, name, value };
  });
}

/** Where `COPY` takes its files from, and where it puts them. */
export function parseCopy(value: string): { from: string | undefined; sources: string[]; target: string } {
  const words = value.split(/\s+/);
  const options = words.filter((word) => word.startsWith('--'));
  const paths = words.filter((word) => !word.startsWith('--'));
  const from = options.find((option) => option.startsWith('--from='))?.slice('--from='.length);
  const target = paths.at(-1);
  if (paths.length < 2 || target === undefined) throw new Error(`COPY names no source or no target: ${value}`);
  return { from, sources: paths.slice(0, -1), target };
}

/** The files of a folder that a build sees: all but those of a `.dockerignore`, whose lines may hold wildcards but no exceptions. */
export function listContext(folder: string, ignored: string): string[] {
  const patterns = ignored.split('\n').filter((line) => line.trim() !== '');
  const isIgnored = (file: string) => patterns.some((pattern) => path.matchesGlob(file, pattern));
  const walk = (inside: string): string[] =>
    readdirSync(path.join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(inside, entry.name);
      if (isIgnored(file)) return [];
      return entry.isDirectory() ? walk(file) : [file];
    });
  return walk('');
}
