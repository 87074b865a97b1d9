import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { describeFailure } from '../failures.ts';
import packageFile from '../package.json' with { type: 'json' };
import { addExamples } from './options.ts';

export function addMcpCommand(program: Command, context: Context): void {
  addExamples(
    program
      .command('mcp')
      .description('Serve the tools of an agent (Model Context Protocol) over standard input and output')
      .action(() => serve(context)),
    'mcp',
  );
}

/** Standard output is the agent's: messages go to standard error. */
async function serve({ connect, output, signal, unread }: Context): Promise<void> {
  const { client } = await connect();
  const { runStdio } = await import('../../mcp/stdio.ts');
  const onError = (failure: unknown) => output.say(describeFailure(failure), 'red');
  await runStdio({ client, version: packageFile.version, onError }, AbortSignal.any([signal, unread]));
}
