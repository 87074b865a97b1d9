import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** A fenced block of a document. */
export type DocumentBlock = {
  document: string;
  line: number;
  language: string;
  text: string;
  /** What `<!-- not run: … -->` in front of the block says; undefined where there is none. */
  notRun: string | undefined;
};

/** Where the repository is checked out. */
export const repository = path.join(import.meta.dirname, '..');

/** Every document of the repository, as a path from its root with slashes. */
export const listDocuments = (): string[] =>
  globSync('**/*.md', {
    cwd: repository,
    exclude: (name) => /(?:^|[\\/])(?:node_modules|dist|data|test-results)$/.test(name),
  })
    .map((name) => name.replaceAll(path.sep, '/'))
    .toSorted();

/** The fenced blocks of a document, without the indentation that they have in lists. */
export function readBlocks(document: string): DocumentBlock[] {
  const page = readFileSync(path.join(repository, document), 'utf8');
  const fences = /(?:^ *<!-- not run: ([^>]*) -->\n\n?)?^( *)```(\w*)\n(.*?)^ *```$/gms;
  return [...page.matchAll(fences)].map(({ index, 1: notRun, 2: indent = '', 3: language = '', 4: text = '' }) => ({
    document,
    line: page.slice(0, index).split('\n').length,
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    notRun,
  }));
}

/** The texts of a document's blocks in a language, in their order. */
export const blocksIn = (document: string, language: string): string[] =>
  readBlocks(document).flatMap((block) => (block.language === language ? [block.text] : []));

/** The shell blocks of a document that can run anywhere, in their order. */
export const blocksToRun = (document: string): string[] =>
  readBlocks(document).flatMap(({ language, notRun, text }) =>
    language === 'sh' && notRun === undefined ? [text] : [],
  );

/**
 * Runs the shell blocks of a document, in their order, in one shell that ends at the first failure. Its home is an empty folder.
 * @param options.cwd where they run
 * @param options.env variables beside PATH, HOME and NODE_COMPILE_CACHE
 * @param options.replace texts of the blocks that differ from machine to machine, such as addresses, and what stands for them here
 * @returns what the first block that contains a text wrote to standard output. Throws when a command fails.
 */
export async function runDocument(
  document: string,
  { cwd, env = {}, replace = {} }: { cwd: string; env?: Record<string, string>; replace?: Record<string, string> },
): Promise<(contained: string) => string> {
  const blocks = blocksToRun(document);
  const marked = blocks.map((block, i) => `printf '\\n#%s#\\n' ${i}\n${block}`).join('\n');
  const script = Object.entries(replace).reduce((text, [from, to]) => text.replaceAll(from, () => to), marked);
  const home = await mkdtemp(path.join(tmpdir(), 'media-search-home-'));
  const { PATH = '', NODE_COMPILE_CACHE: compiled } = process.env;
  const kept = { PATH, HOME: home, ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }) };
  try {
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd,
      env: { ...kept, ...env },
      maxBuffer: 2 ** 24,
    }).catch(({ stdout: out, stderr }: { stdout: string; stderr: string }) => {
      const number = Number([...out.matchAll(/\n#(\d+)#\n/g)].at(-1)?.[1] ?? 0);
      throw new Error(`A block of ${document} failed: ${stderr}\n${blocks[number]}\n${out.slice(-2000)}`);
    });
    const outputs = stdout.split(/\n#\d+#\n/).slice(1);
    return (contained) => {
      const place = blocks.findIndex((block) => block.includes(contained));
      if (place === -1) throw new Error(`No block of ${document} contains ${contained}.`);
      return outputs[place] ?? '';
    };
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
