import type { Command } from 'commander';
import { CommandError } from '../failures.ts';

/**
 * `help`, of the program and of commands that have commands. The one of commander prints all help for a name that does not exist.
 * @param above whose commands it shows the help of
 */
export function addHelpCommand(above: Command): void {
  above
    .command('help [command...]')
    .description('Show the help of a command')
    .action(async (names: string[]) => {
      let shown = above;
      for (const name of names) {
        const below = shown.commands.find((each) => each.name() === name);
        if (!below && shown.parent) throw noSuchCommand(shown, name);
        // Commander says that there is none, and which one is meant.
        if (!below) await shown.parseAsync([name], { from: 'user' });
        else shown = below;
        if (shown.commands.length === 0) break;
      }
      shown.help();
    });
}

/** Says which commands there are below one. */
export function noSuchCommand(above: Command, name: string): CommandError {
  const names = above.commands.map((each) => each.name()).filter((each) => each !== 'help');
  const known = names.map((each) => `“${above.name()} ${each}”`).join(' and ');
  return new CommandError(`There is no command “${above.name()} ${name}”. There are ${known}.`);
}
