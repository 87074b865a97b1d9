import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { getMedia, type MediaItem } from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import { CommandError, describeFailure, PartialFailure } from '../failures.ts';
import { hashFile } from '../files/hash-file.ts';
import { toSafeName } from '../files/safe-name.ts';
import { escapeText } from '../output/escape-text.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { saveFile } from '../transfer/save-file.ts';
import { addExamples } from './options.ts';

type DownloadOptions = { dir: string; output?: string; force?: boolean };

export function addDownloadCommand(program: Command, context: Context): void {
  addExamples(
    program
      .command('download <id...>')
      .description('Save originals, byte for byte; a download that broke off continues')
      .option('-d, --dir <folder>', 'The folder to save them in', '.')
      .option('-o, --output <file>', 'The name of the file, for a single item')
      .option('--force', 'Replace files that exist')
      .action((ids: string[], options: DownloadOptions) => download(ids, options, context)),
    'download 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
    'download 01a1fbe4-6806-793e-a30f-22b8a44e4f85 -o harbour.mp4 --force',
  );
}

async function download(ids: string[], options: DownloadOptions, context: Context): Promise<void> {
  const { output, signal } = context;
  if (options.output !== undefined && ids.length > 1)
    throw new CommandError('--output names one file. Say --dir for several items.');
  const folder = await stat(options.dir).catch(() => null);
  if (!folder?.isDirectory()) throw new CommandError(`There is no folder ${options.dir}.`);
  const connection = await context.connect();
  const progress = await createProgress(output);
  let failed = false;
  try {
    for (const id of ids) {
      try {
        output.line(escapeText(await downloadOne(id, options, connection, progress, context)));
      } catch (failure) {
        if (signal.aborted || ids.length === 1) throw failure;
        failed = true;
        progress.say(`${id}: ${describeFailure(failure)}`, 'red');
      }
    }
  } finally {
    progress.stop();
  }
  if (failed) throw new PartialFailure();
}

/** @returns where it was saved */
async function downloadOne(
  id: string,
  options: DownloadOptions,
  { client }: Connection,
  progress: Progress,
  { signal }: Context,
): Promise<string> {
  const read = async () => (await getMedia({ client, path: { id }, signal })).data;
  const item = await read();
  // The name is text of whoever uploaded the file. It never leads out of the folder.
  const target = options.output ?? path.join(options.dir, toSafeName(item.filename));
  if (!options.force && (await hasContent(target, item))) {
    progress.say(`${target} is there already.`);
    return target;
  }
  const bar = progress.add(path.basename(target));
  let first: MediaItem | undefined = item;
  await saveFile({
    async address() {
      const current = first ?? (await read());
      first = undefined;
      return current.download_url ?? current.url ?? '';
    },
    target,
    part: `${target}.${(item.sha256 ?? item.id).slice(0, 8)}.part`,
    sha256: item.sha256,
    force: options.force ?? false,
    signal,
    onProgress: bar.update,
  });
  bar.remove();
  return target;
}

/** Whether a file with the bytes of this item is there. */
async function hasContent(file: string, { size, sha256 }: MediaItem): Promise<boolean> {
  const existing = await stat(file).catch(() => null);
  return (
    existing?.isFile() === true && existing.size === size && sha256 !== undefined && (await hashFile(file)) === sha256
  );
}
