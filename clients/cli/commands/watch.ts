import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { getWorkspace } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { openState } from '../files/state.ts';
import { findUploadLabels } from '../labels/find-labels.ts';
import { createProgress } from '../output/progress.ts';
import type { Sent } from '../transfer/send-files.ts';
import { addExamples, addJsonOption, wholeNumber } from './options.ts';
import { addUploadOptions, type LabelOptions } from './upload-options.ts';

type WatchOptions = LabelOptions & { json?: boolean; settle: number; parallel: number };

export function addWatchCommand(program: Command, context: Context): void {
  const command = program
    .command('watch <folder>')
    .description('Upload the media of a folder and what is added to it, until Ctrl-C. Nothing is written there')
    .addOption(
      new Option('--settle <seconds>', 'How long a file has to stay as it is before it is taken')
        .default(30)
        .argParser(wholeNumber(1, 86_400)),
    );
  addExamples(
    addJsonOption(addUploadOptions(command), 'a line of JSON for each file').action(
      (folder: string, options: WatchOptions) => watchFor(folder, options, context),
    ),
    'watch ~/Recordings',
    'watch /mnt/camera --creator "Camera 1" --create --json >> sent.jsonl',
  );
}

async function watchFor(folder: string, options: WatchOptions, context: Context): Promise<void> {
  const { output, signal } = context;
  if (!(await stat(folder)).isDirectory()) throw new CommandError(`${folder} is no folder.`);
  const connection = await context.connect();
  const labels = await findUploadLabels(connection.client, options, signal);
  const { data } = await getWorkspace({ client: connection.client, signal });
  const state = openState(context.folders.state, connection.client.transport.baseUrl, data.id);
  const progress = await createProgress(output);
  const { watchFolder } = await import('../transfer/watch-folder.ts');
  output.say(`Watching ${folder} for the workspace “${data.name}”. Ctrl-C ends it.`);
  try {
    await watchFolder(connection, {
      folder,
      settleMs: 1000 * options.settle,
      labels,
      concurrency: options.parallel,
      progress,
      state,
      signal,
      onSent: (sent) => show(sent, options, output),
      onProblem: (message) => progress.say(message, 'yellow'),
    });
  } finally {
    progress.stop();
  }
  // Ctrl-C is how this command ends.
  output.say('Stopped.');
}

function show(sent: Sent, { json }: WatchOptions, output: Context['output']): void {
  if (json) output.jsonLine(sent);
  else output.row([sent.result, sent.media_id ?? '', sent.file, sent.error ?? '']);
}
