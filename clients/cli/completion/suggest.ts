import type { Command, Option } from 'commander';
import { type LabelKind, labelLists } from '../../shared/labels.ts';
import type { Client } from '../../typescript/index.ts';

/** What may stand at the cursor. */
export type Suggestions = { values: { value: string; meaning: string }[]; files: boolean };

const nothing: Suggestions = { values: [], files: false };

/** The most names that are offered: another letter narrows a longer list. */
const maxNames = 50;

/**
 * The word that a shell would make of what was typed, maybe with an open quote. Nothing is expanded.
 * @param typed as it stands in the line, with quotes and backslashes
 */
function unquote(typed: string): string {
  let [word, quote] = ['', ''];
  for (let i = 0; i < typed.length; i++) {
    const character = typed.charAt(i);
    const next = typed.charAt(i + 1);
    if (character === '\\' && (quote === '' ? next !== '' : quote === '"' && /["$`\\]/.test(next)))
      word += typed.charAt(++i);
    else if (quote === '' && /["']/.test(character)) quote = character;
    else if (character === quote) quote = '';
    else word += character;
  }
  return word;
}

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
  const typed = words.map(unquote).flatMap((word) => (/^--\w[\w-]*=/.test(word) ? splitOnce(word) : [word]));
  const current = typed.pop() ?? '';
  const { command, option, positionals, ended } = follow(program, typed);
  if (option) return suggestValue(option, current, connect, signal);
  if (!ended && current.startsWith('-')) return suggestOptions(program, command, current);
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

type Place = {
  command: Command;
  /** Waits for its value. */
  option: Option | null;
  /** Arguments so far. */
  positionals: number;
  /** Whether `--` said that no more options follow. */
  ended: boolean;
};

/** Where in a command the next word stands. */
function follow(program: Command, words: string[]): Place {
  const place: Place = { command: program, option: null, positionals: 0, ended: false };
  for (const word of words) {
    const { command, option, positionals, ended } = place;
    if (option) place.option = null;
    else if (!ended && word === '--') place.ended = true;
    else if (!ended && word.startsWith('-')) {
      const known = [...command.options, ...program.options].find(({ short, long }) => word === short || word === long);
      place.option = known && takesValue(known) ? known : null;
    } else {
      const below = positionals === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      // `help` is followed by what could stand in its place.
      if (below?.name() === 'help') continue;
      if (below) place.command = below;
      else place.positionals++;
    }
  }
  return place;
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
    // Messages would disturb the line that is being typed.
    return nothing;
  }
}
