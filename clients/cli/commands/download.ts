import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { getMedia, type MediaItem } from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { hashFile } from '../files/hash-file.ts';
import { standardStream } from '../files/read-input.ts';
import { toSafeName } from '../files/safe-name.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { saveFile, streamFile } from '../transfer/save-file.ts';
import { addExamples, addJsonOption, jsonOfEach } from './options.ts';
import { withEach } from './with-each.ts';

type DownloadOptions = { json?: boolean; dir: string; output?: string; force?: boolean };

export function addDownloadCommand(program: Command, context: Context): void {
  const command = program
    .command('download <id...>')
    .description('Save originals, byte for byte; a download that broke off continues')
    .option('-d, --dir <folder>', 'The folder to save them in, made where there is none', '.')
    .option('-o, --output <file>', 'The name of the file, for a single item; - writes its bytes to standard output')
    .option('--force', 'Replace files that exist');
  addExamples(
    addJsonOption(command, jsonOfEach('item')).action((ids: string[], options: DownloadOptions) =>
      download(ids, options, context),
    ),
    'download 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
    'download 01a1fbe4-6806-793e-a30f-22b8a44e4f85 -o harbour.mp4 --force',
  );
}

async function download(ids: string[], options: DownloadOptions, context: Context): Promise<void> {
  if (options.output !== undefined && ids.length > 1)
    throw new CommandError('--output names one file. Say --dir for several items.');
  if (options.dir === standardStream)
    throw new CommandError(
      `--dir names a folder. The bytes of one item go to standard output by -o ${standardStream}.`,
    );
  const connection = await context.connect();
  if (options.output === standardStream) return writeToOutput(ids[0] ?? '', options, connection, context);
  const progress = await createProgress(context.output);
  const save = (id: string) => downloadOne(id, options, connection, progress, context);
  try {
    await withEach(ids, options, connection, context, save, progress.say);
  } finally {
    progress.stop();
  }
}

/** Writes the bytes of an original to standard output, for another program to read. */
async function writeToOutput(
  id: string,
  { json }: DownloadOptions,
  { client }: Connection,
  { output, signal, unread }: Context,
): Promise<void> {
  if (json) throw new CommandError('--json and the bytes of a file cannot both go to standard output.');
  if (output.isTerminal)
    throw new CommandError('A terminal does not show the bytes of a file: send them to a program or a file.');
  const read = async () => (await getMedia({ client, path: { id }, signal })).data;
  const { sha256 } = await read();
  await streamFile({
    address: async () => {
      const current = await read();
      return current.download_url ?? current.url ?? '';
    },
    write: (bytes) => output.bytes(bytes, signal),
    sha256: sha256 ?? undefined,
    signal: AbortSignal.any([signal, unread]),
  });
}

/** @returns where it was saved, or was before */
async function downloadOne(
  id: string,
  options: DownloadOptions,
  { client }: Connection,
  progress: Progress,
  { signal }: Context,
): Promise<{ result: 'saved' | 'present'; file: string }> {
  const read = async () => (await getMedia({ client, path: { id }, signal })).data;
  const item = await read();
  // The uploader chose the name. It never leads out of the folder.
  const target = options.output ?? path.join(options.dir, toSafeName(item.filename));
  if (!options.force && (await hasContent(target, item))) {
    progress.say(`${target} is there already.`);
    return { result: 'present', file: target };
  }
  // As `search --export` does. What is there and is no folder is named by the failure.
  await mkdir(path.dirname(target), { recursive: true });
  const bar = progress.add(path.basename(target));
  let first: MediaItem | undefined = item;
  await saveFile({
    async address() {
      const current = first ?? (await read());
      first = undefined;
      return current.download_url ?? current.url ?? '';
    },
    target,
    part: `${target}.${contentOf(item)}.part`,
    sha256: item.sha256 ?? undefined,
    force: options.force ?? false,
    signal,
    onProgress: bar.update,
  });
  bar.remove();
  return { result: 'saved', file: target };
}

/** Names the content of an item in a few characters. Identifiers of items that were added together begin alike. */
const contentOf = ({ id, sha256, size }: MediaItem): string => sha256?.slice(0, 8) ?? `${id.slice(-8)}-${size}`;

/** Whether a file with the bytes of this item is there. */
async function hasContent(file: string, { size, sha256 }: MediaItem): Promise<boolean> {
  const existing = await stat(file).catch(() => null);
  return (
    existing?.isFile() === true && existing.size === size && sha256 !== undefined && (await hashFile(file)) === sha256
  );
}
