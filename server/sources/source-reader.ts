import type { FileAnswer, FileQuestion, RootIdentity } from './source-process-messages.ts';
import type { FolderListing } from './walk-folder.ts';

/** What a scan asks of a source, wherever its files are. All of it throws `SourceError`, or errors of the system, when the source is away. */
export type SourceReader = {
  /** What the root is now. */
  root(): Promise<Omit<RootIdentity, 'mounts' | 'globs'> & { isEmpty: boolean }>;
  /** Folders with their files, some hundreds at a time. @param folders only these and what is below them */
  list(folders: string[]): AsyncIterable<FolderListing[]>;
  ask(questions: FileQuestion[]): Promise<FileAnswer[]>;
  /** Whether files with one identity and one length have the same content, as with an entity tag. Else the identity is of a file, whatever it holds. */
  identifiesContent: boolean;
  /** Whether changes are told of. */
  isWatching(): boolean;
  stop(): void;
};
