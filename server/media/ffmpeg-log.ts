import { AV_LOG_FATAL } from 'node-av/constants';
import { Log } from 'node-av/lib';

/** Keeps FFmpeg from writing to standard error in this process: it logs every oddity of a file. Errors are still thrown. */
export function silenceFfmpeg(): void {
  Log.setLevel(AV_LOG_FATAL);
}
