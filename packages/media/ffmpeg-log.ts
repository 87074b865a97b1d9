import { AV_LOG_FATAL } from 'node-av/constants';
import { Log } from 'node-av/lib';

/** So many lines are written in a time, milliseconds: a file of a few megabytes gives rise to millions. */
const maxLines = 10;
const intervalMs = 60_000;

/**
 * Keeps FFmpeg from writing to standard error in this process: it logs every oddity of a file. Errors are still thrown. What it calls fatal is
 * written a few times a minute; of the rest only the number is told.
 */
export function limitFfmpegLog(write: (line: string) => void = (line) => console.error(line)): void {
  let began = 0;
  let lines = 0;
  Log.setLevel(AV_LOG_FATAL);
  Log.setCallback(
    (_, message) => {
      if (Date.now() - began > intervalMs) {
        if (lines > maxLines) write(`FFmpeg wrote ${lines - maxLines} more lines, which were left out`);
        began = Date.now();
        lines = 0;
      }
      lines += 1;
      if (lines <= maxLines) write(`FFmpeg: ${message.trim()}`);
    },
    { maxLevel: AV_LOG_FATAL },
  );
}
