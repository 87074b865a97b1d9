import { answered } from '../answered.ts';
import type { Context } from '../context.ts';
import { cancelled, CommandError, describeFailure, PartialFailure } from '../failures.ts';

/**
 * Asks before something that cannot be undone.
 * @param what `done`: what the answer no says was not done
 * @param write gives the question; it may say more before
 * @throws CommandError where nobody can answer, and when the answer is no
 */
export async function askFirst(
  { input, output, signal }: Context,
  what: { verb: string; done: string },
  write: () => Promise<string>,
): Promise<void> {
  // Nothing is asked where nobody can answer, and nothing is done for want of an answer.
  if (!input.isTTY || !output.isMessageTerminal)
    throw new CommandError(`There is no terminal to ask on. Say --yes to ${what.verb} without a question.`);
  const message = await write();
  const { confirm } = await import('@inquirer/prompts');
  const yes = await answered(confirm({ message, default: false }, { input, output: process.stderr, signal }));
  if (!yes) throw cancelled(`Nothing was ${what.done}.`);
}

/**
 * Does something with each identifier, and prints those that it was done with. What fails is said, and the others are done.
 * @throws PartialFailure when one failed
 */
export async function withEach(
  ids: string[],
  { output, signal }: Context,
  act: (id: string) => Promise<unknown>,
): Promise<void> {
  let failed = false;
  for (const id of ids) {
    try {
      await act(id);
      output.line(id);
    } catch (failure) {
      if (signal.aborted) throw failure;
      failed = true;
      output.say(`${id}: ${describeFailure(failure)}`, 'red');
    }
  }
  if (failed) throw new PartialFailure();
}
