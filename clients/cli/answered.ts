import { cancelled } from './failures.ts';

/** The answer to a question. @throws CommandError when Ctrl-C was pressed in place of one: the command is cancelled */
export async function answered<Answer>(question: Promise<Answer>): Promise<Answer> {
  try {
    return await question;
  } catch (failure) {
    if (failure instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(failure.name)) throw cancelled();
    throw failure;
  }
}
