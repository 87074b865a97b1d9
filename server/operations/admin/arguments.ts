import { parseArgs } from 'node:util';

/** The options of all commands. */
export type Options = ReturnType<typeof readArguments>['values'];

/** The words and options of the command line. Throws `ERR_PARSE_ARGS_…` for an unknown option. */
export function readArguments() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  return parseArgs({
    allowPositionals: true,
    options: {
      help: { ...flag, short: 'h' },
      repair: flag,
      force: flag,
      'skip-damaged': flag,
      to: { type: 'string', multiple: true },
      owner: text,
      name: text,
      workspace: text,
      include: { type: 'string', multiple: true },
      exclude: { type: 'string', multiple: true },
      'storage-bytes': text,
      'media-items': text,
      'indexed-seconds': text,
      'searches-per-month': text,
      'requests-per-minute': text,
      'requests-at-once': text,
      'searches-at-once': text,
      'reranks-at-once': text,
      'image-searches-at-once': text,
      'uploads-at-once': text,
      'imports-at-once': text,
      'agents-at-once': text,
    },
  });
}
