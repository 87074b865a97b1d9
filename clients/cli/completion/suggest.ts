import type { Command, Option } from 'commander';
import { type LabelKind, labelLists } from '../../shared/labels.ts';
import type { Client } from '../../typescript/index.ts';

/** What may stand at the cursor. */
export type Suggestions = { values: { value: string; meaning: string }[]; files: boolean };

const nothing: Suggestions = { values: [], files: false };

/** So many names are offered: whoever sees more types another letter. */
const maxNames = 50;

/** Shells give words as they were typed. */
const unquote = (word: string): string => word.replace(/^["']/, '').replace(/["']$/, '').replaceAll(/\\(.)/g, '$1');

const isLabelKind = (text: string): text is LabelKind => text in labelLists;

const takesValue = (option: Option): boolean => option.required || option.optional;

/** Options and arguments say by the name of their value when it is a path. */
const isPath = (name: string): boolean => /^<?\[?(?:file|folder|path)\b/.test(name);

/**
 * What can stand at the cursor of an unfinished command.
 * @param words the words after the name of the program; the last is the one at the cursor, maybe empty
 * @param connect gives a client for names of labels; when it fails none are offered
 */
export async function suggest(
  program: Command,
  words: string[],
  connect: () => Promise<Client>,
  signal: AbortSignal,
): Promise<Suggestions> {
  // Bash takes `--option=value` apart at its `=`, other shells do not.
  const parts = words.flatMap((word) => (/^--\w[\w-]*=/.test(word) ? [...splitOnce(word)] : [word]));
  const typed = parts.filter((word) => word !== '=').map(unquote);
  const current = typed.pop() ?? '';
  const { command, option, positionals } = follow(program, typed);
  if (option) return suggestValue(option, current, connect, signal);
  if (current.startsWith('-')) return suggestOptions(program, command, current);
  const commands = positionals > 0 ? [] : command.createHelp().visibleCommands(command);
  const argument = command.registeredArguments.at(Math.min(positionals, command.registeredArguments.length - 1));
  return {
    values: [
      ...commands.map((each) => ({ value: each.name(), meaning: each.description() })),
      ...(argument?.argChoices ?? []).map((value) => ({ value, meaning: '' })),
    ].filter(({ value }) => value.startsWith(current)),
    files: argument !== undefined && isPath(argument.name()),
  };
}

function splitOnce(word: string): [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Which command the words name, and the option that waits for its value. */
function follow(program: Command, words: string[]): { command: Command; option: Option | null; positionals: number } {
  let [command, positionals] = [program, 0];
  let option: Option | null = null;
  for (const word of words) {
    if (option) option = null;
    else if (word.startsWith('-')) {
      const known = [...command.options, ...program.options].find(({ short, long }) => word === short || word === long);
      option = known && takesValue(known) ? known : null;
    } else {
      const below = positionals === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (below) command = below;
      else positionals++;
    }
  }
  return { command, option, positionals };
}

function suggestOptions(program: Command, command: Command, current: string): Suggestions {
  const options = [...command.createHelp().visibleOptions(command), ...(command === program ? [] : program.options)];
  return {
    values: options
      .filter(({ long }) => long?.startsWith(current))
      .map(({ long, description }) => ({ value: long ?? '', meaning: description })),
    files: false,
  };
}

async function suggestValue(
  option: Option,
  current: string,
  connect: () => Promise<Client>,
  signal: AbortSignal,
): Promise<Suggestions> {
  if (option.argChoices) {
    const values = option.argChoices.filter((value) => value.startsWith(current));
    return { values: values.map((value) => ({ value, meaning: '' })), files: false };
  }
  if (isPath(/[<[].*/.exec(option.flags)?.[0] ?? '')) return { values: [], files: true };
  const kind = option.attributeName();
  if (!isLabelKind(kind)) return nothing;
  try {
    const { data } = await labelLists[kind]({
      client: await connect(),
      query: { q: current, per_page: maxNames },
      signal,
    });
    const begin = current.toLowerCase();
    const names = data.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(begin));
    return { values: names.map((value) => ({ value, meaning: '' })), files: false };
  } catch {
    // Nobody reads messages while typing.
    return nothing;
  }
}
