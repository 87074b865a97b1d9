import { type Command, InvalidArgumentError, Option } from 'commander';

/** A whole number within bounds, for an option. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
    return value;
  };

/** How many to show. */
export const limitOption = (what: string, usual: number, max: number): Option =>
  new Option('-n, --limit <number>', what).default(usual).argParser(wholeNumber(1, max));

/** Gathers the values of an option that may be given several times, or with commas in between. */
export const gather = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
];

/** The option that every command with data has. @param what it prints, where the API has nothing of the kind */
export const addJsonOption = (command: Command, what = 'JSON, whole and as the API has it'): Command =>
  command.option('--json', `Print ${what}`);

/** What `--json` prints where several things are done: as what each ended. */
export const jsonOfEach = (thing: string): string => `JSON: an array with an entry for each ${thing}`;

/** Examples below the help of a command. */
export const addExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ media-search ${line}`).join('\n')}`);

/** What searches and lists can be narrowed by, in words of people. */
export type FilterOptions = {
  type?: 'video' | 'image';
  creator?: string;
  category?: string;
  collection?: string;
  tag?: string;
  takenAfter?: string;
  takenBefore?: string;
};

export const addFilterOptions = (command: Command): Command =>
  command
    .addOption(new Option('-t, --type <type>', 'Only videos, or only images').choices(['video', 'image']))
    .option('--creator <name>', 'Only media of this creator')
    .option('--category <name>', 'Only media of this category')
    .option('--collection <name>', 'Only media in this collection')
    .option('--tag <name>', 'Only media with this tag')
    .option('--taken-after <date>', 'Only what was recorded on this day or later (2026-07-14, or a time)')
    .option('--taken-before <date>', 'Only what was recorded before this day');

/** Flags as the specification writes them (`1`, `0`), which the generated types take for a boolean. */
export const on = 1 as unknown as boolean;
export const off = 0 as unknown as boolean;
