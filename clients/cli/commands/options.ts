import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Filter, itemFilters } from '../../../contract/fields.ts';

/** A whole number within bounds, for an option. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`It is a whole number from ${min} to ${max}.`);
    return value;
  };

/** A number within the bounds of a field, for an option. */
const numberWithin =
  ({ integer, least, most }: { integer: boolean; least: number; most: number }) =>
  (text: string): number => {
    const value = Number(text);
    if (!(integer ? /^\d+$/ : /^\d+(?:\.\d+)?$/).test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It is a ${integer ? 'whole ' : ''}number from ${least} to ${most}.`);
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

/** Filters as they were given, by the names of their options. */
export type FilterOptions = Record<string, unknown>;

/** The option of a filter, or of a change, of a field of `contract/fields.ts`. */
export function valueOption({ name, description, field }: Pick<Filter, 'name' | 'description' | 'field'>): Option {
  const help = description.replace(/\.$/, '');
  const flag = `${name === 'type' ? '-t, ' : ''}--${name.replaceAll('_', '-')}`;
  switch (field.kind) {
    case 'choice':
      return new Option(`${flag} <${name}>`, help).choices(Object.keys(field.options));
    case 'time':
      return new Option(`${flag} <date>`, `${help} (2026-07-14, or a time)`);
    case 'number':
      return new Option(`${flag} <${field.unit}>`, help).argParser(numberWithin(field));
    case 'position':
      return new Option(`${flag} <area>`, help);
    case 'text':
      return new Option(`${flag} <text>`, help);
    default:
      return new Option(`${flag} <name>`, help);
  }
}

/** The options that searches and lists can be narrowed by. @param filters those of a command */
export function addFilterOptions(command: Command, filters: readonly Filter[] = itemFilters): Command {
  for (const filter of filters) command.addOption(valueOption(filter));
  return command;
}

/** Flags as the specification writes them (`1`, `0`), which the generated types take for a boolean. */
export const on = 1 as unknown as boolean;
export const off = 0 as unknown as boolean;
