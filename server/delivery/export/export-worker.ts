import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { cutClip } from '@media-search/media/cut-clip';
import { describeEditing } from '@media-search/media/describe-editing';
import { limitFfmpegLog } from '@media-search/media/ffmpeg-log';
import { writeAnimation } from '@media-search/media/write-animation';
import { writeStill } from '@media-search/media/write-still';
import { initializeChildProcess } from '../../platform/processes/child-process.ts';
import { dropPrivileges } from '../../platform/processes/drop-privileges.ts';
import type { ExportResult, ExportTask, ExportWorkerOptions } from './export-tasks.ts';

/**
 * The process that cuts and encodes. It is a process of its own because decoders are native code that a hostile file can crash, and it has
 * a lower priority than what somebody waits for in a search.
 */

initializeChildProcess();
const options = JSON.parse(process.argv.at(-1) ?? '') as ExportWorkerOptions;
dropPrivileges(options.dataDirectory);
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
limitFfmpegLog();

/** A task that is given up ends by the end of its process. */
const patient = new AbortController().signal;

const handlers: {
  [Kind in ExportTask['kind']]: (task: Extract<ExportTask, { kind: Kind }>) => Promise<ExportResult[Kind]>;
} = {
  clip: ({ source, span, destination, progressFile }) =>
    cutClip(source, span, destination, patient, createProgressWriter(progressFile)),
  animation: ({ source, span, format, destination, progressFile }) =>
    writeAnimation(source, span, format, destination, patient, createProgressWriter(progressFile)),
  async still({ source, at, format, destination }) {
    await writeStill(source, at, format, destination, patient);
    return null;
  },
  describe: ({ source }) => describeEditing(source, patient),
};

/** Runs one task; the pool calls it. */
// oxlint-disable-next-line import/no-default-export -- tinypool calls the default export of a worker
export default function run<Kind extends ExportTask['kind']>(
  task: Extract<ExportTask, { kind: Kind }>,
): Promise<ExportResult[Kind]> {
  return handlers[task.kind](task);
}

const writeIntervalMs = 250;

function createProgressWriter(file: string | null): (fraction: number) => void {
  let writtenAt = 0;
  return (fraction) => {
    const now = Date.now();
    if (file === null || now - writtenAt < writeIntervalMs) return;
    writtenAt = now;
    writeFileSync(file, String(fraction));
  };
}
