import { answered } from '../answered.ts';
import type { Connection, Context } from '../context.ts';
import { cancelled, CommandError, describeFailure, endsAll, PartialFailure } from '../failures.ts';
import { escapeText } from '../output/escape-text.ts';

/**
 * Asks before something that cannot be undone.
 * @param what `done`: what the answer no says was not done
 * @param write gives the question; it may say more before
 * @throws CommandError without a terminal to answer at, and when the answer is no
 */
export async function askFirst(
  { input, output, signal }: Context,
  what: { verb: string; done: string },
  write: () => Promise<string>,
): Promise<void> {
  // Without a terminal there is no question, and without an answer nothing is done.
  if (!input.isTTY || !output.isMessageTerminal)
    throw new CommandError(`There is no terminal to ask on. Say --yes to ${what.verb} without a question.`);
  const message = await write();
  const { confirm } = await import('@inquirer/prompts');
  const yes = await answered(confirm({ message, default: false }, { input, output: process.stderr, signal }));
  if (!yes) throw cancelled(`Nothing was ${what.done}.`);
}

/** What was done with an item or an upload, and the file where that made one. */
type Done = { result: string; file?: string };

/**
 * Does something with each identifier, and prints those that it was done with, or the files that it made. What fails is said, and the others are
 * done, where they can be.
 * @param say a message, above what shows progress
 * @throws PartialFailure when one of several failed; what failed for the only one, or fails for all
 */
export async function withEach(
  ids: string[],
  { json = false }: { json?: boolean },
  { account }: Connection,
  { output, signal }: Context,
  act: (id: string) => Promise<Done>,
  say: Context['output']['say'] = output.say,
): Promise<void> {
  const results: (Done & { id: string; error: string | null })[] = [];
  let ending: unknown;
  for (const id of ids) {
    try {
      const done = await act(id);
      results.push({ id, ...done, error: null });
      if (!json) output.line(escapeText(done.file ?? id));
    } catch (failure) {
      if (signal.aborted || ids.length === 1 || endsAll(failure)) ending = failure;
      if (signal.aborted || endsAll(failure)) break;
      const error = describeFailure(failure, account.url);
      results.push({ id, result: 'failed', error });
      if (ids.length > 1) say(`${id}: ${error}`, 'red');
    }
  }
  if (json && (ending === undefined || results.length > 0)) output.json(results);
  if (ending !== undefined) throw ending;
  if (results.some(({ error }) => error !== null)) throw new PartialFailure();
}
