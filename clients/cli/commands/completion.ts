import { Argument, type Command } from 'commander';
import { scripts } from '../completion/scripts.ts';
import { suggest } from '../completion/suggest.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../failures.ts';
import { escapeText } from '../output/escape-text.ts';

const hints = {
  bash: "echo 'source <(media-search completion bash)' >> ~/.bashrc",
  zsh: "echo 'source <(media-search completion zsh)' >> ~/.zshrc   # after compinit",
  fish: 'media-search completion fish > ~/.config/fish/completions/media-search.fish',
};

export function addCompletionCommand(program: Command, { output }: Context): void {
  program
    .command('completion')
    .description('Print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'The shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `\nTo set it up:\n${Object.values(hints)
        .map((line) => `  $ ${line}`)
        .join('\n')}`,
    )
    .action((shell: keyof typeof scripts) => output.raw(scripts[shell]));
}

/** The request for names is limited to the time that a user waits for a completion. */
const maxMilliseconds = 2000;

/** Answers a shell what can stand at the cursor; see `completion/scripts.ts`. */
export async function completeWords(program: Command, context: Context, words: string[]): Promise<number> {
  const { output, signal } = context;
  const client = async () => (await context.connect()).client;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(maxMilliseconds)]);
  const { values, files } = await suggest(program, words, client, limited);
  // What is escaped would be inserted as another name.
  for (const { value, meaning } of values)
    if (escapeText(value) === value) output.line(`${value}\t${escapeText(meaning)}`);
  output.line(files ? ':files' : ':done');
  return exitCodes.ok;
}
