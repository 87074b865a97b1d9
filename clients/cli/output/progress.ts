import { formatBytes } from '../../shared/format.ts';
import { escapeText } from './escape-text.ts';
import type { Output } from './output.ts';

/** How far something is. */
type Bar = {
  /** Bytes that are done, and of how many; null: unknown. The name may change on the way. */
  update: (done: number, total: number | null, name?: string) => void;
  /** The share that is done, 0 to 1. */
  share: (share: number) => void;
  remove: () => void;
};

/** Bars for several things at once, on standard error where that is a terminal. */
export type Progress = {
  add: (name: string) => Bar;
  /** A message above the bars. */
  say: Output['say'];
  stop: () => void;
};

const noBar: Bar = { update: () => {}, share: () => {}, remove: () => {} };

/** Names are cut to this, so that a bar fits a line of 80 columns. */
const nameLength = 32;

const shorten = (name: string): string => {
  const characters = Array.from(escapeText(name));
  return characters.length <= nameLength ? characters.join('') : `…${characters.slice(1 - nameLength).join('')}`;
};

/** @param output says whether messages go to a terminal: elsewhere nothing is drawn */
export async function createProgress({ isMessageTerminal, say, paintMessage }: Output): Promise<Progress> {
  if (!isMessageTerminal) return { add: () => noBar, say, stop: () => {} };
  const { default: cliProgress } = await import('cli-progress');
  const bars = new cliProgress.MultiBar({
    format: '{bar} {percentage} %  {size}  {name}',
    barsize: 20,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: process.stderr,
    clearOnComplete: true,
    // A killed command does not restore the cursor that it hid.
    hideCursor: false,
    // Ctrl-C is handled once, for the whole command.
    gracefulExit: false,
    emptyOnZero: true,
  });
  let isStopped = false;
  return {
    add(name) {
      if (isStopped) return noBar;
      const bar = bars.create(1, 0, { name: shorten(name), size: '' });
      return {
        update(done, total, renamed) {
          bar.setTotal(Math.max(1, total ?? done));
          bar.update(done, {
            size: total === null ? formatBytes(done) : `${formatBytes(done)} of ${formatBytes(total)}`,
            ...(renamed === undefined ? {} : { name: shorten(renamed) }),
          });
        },
        share: (share) => bar.update(share),
        // Removing draws the others and starts the timer again, which would keep the process alive after the end. After Ctrl-C, transfers end after
        // the bars.
        remove() {
          if (!isStopped) bars.remove(bar);
        },
      };
    },
    say(message, style) {
      if (isStopped) return say(message, style);
      const text = escapeText(message);
      bars.log(`${style ? paintMessage(style, text) : text}\n`);
      // Drawn at once: without a bar nothing draws, and the end would come before the next time.
      bars.update();
    },
    stop() {
      isStopped = true;
      bars.stop();
    },
  };
}
