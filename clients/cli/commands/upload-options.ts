import { type Command, Option } from 'commander';
import { gather, wholeNumber } from './options.ts';

/** What new items are labelled with, in words of people. */
export type LabelOptions = {
  creator?: string;
  category?: string;
  collection?: string;
  tag?: string[];
  /** Whether a creator or a collection is made where there is none of the name. */
  create?: boolean;
};

/** The options of commands that upload. */
export const addUploadOptions = (command: Command): Command =>
  command
    .option('--creator <name>', 'Creator of new items')
    .option('--category <name>', 'Category of new items')
    .option('--collection <name>', 'Collection that new items go into')
    .addOption(
      new Option('--tag <name>', 'Tag of new items; several with commas, or the option again').argParser(gather),
    )
    .option('--create', 'Make the creator and the collection where there are none of these names')
    .addOption(
      new Option('--parallel <number>', 'Files that are sent at once').default(3).argParser(wholeNumber(1, 8)),
    );
