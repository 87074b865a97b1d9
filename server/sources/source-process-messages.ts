import type { FolderListing, ListedFile, WalkOptions } from './walk-folder.ts';

/** What a root was: by it an empty mount point is told from a folder that was emptied. Numbers as text, which JSON keeps whole. */
export type RootIdentity = {
  device: string;
  inode: string;
  /** Whether another file system is mounted at the root. */
  isMount: boolean;
  /** Folders below the root where others are mounted. */
  mounts: string[];
  /** The globs of the scan, as JSON. */
  globs?: string;
};

/** What is asked of a file. */
export type FileQuestion = { path: string; want: 'identity' | 'ends' | 'whole' };

/** Null: there is no such file any more. `hash`: null where only the identity was asked for, or the file is too long. */
export type FileAnswer =
  | (Pick<ListedFile, 'identity' | 'names' | 'size' | 'modifiedMs'> & { hash: string | null })
  | null;

export type ToSourceProcess =
  | { kind: 'root'; id: number }
  | { kind: 'list'; id: number; folders: string[] }
  /** The next folders are wanted. */
  | { kind: 'next'; id: number }
  | { kind: 'ask'; id: number; questions: FileQuestion[] };

export type FromSourceProcess =
  /** The file system answers: what was asked for takes its time. */
  | { kind: 'alive' }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'listing'; id: number; listings: FolderListing[] }
  | { kind: 'failed'; id: number; message: string; code: string | null }
  /** These folders changed. Empty: any may have, as more happened than the system tells of. */
  | { kind: 'changed'; folders: string[] }
  /** Whether the system tells of changes. */
  | { kind: 'watching'; watching: boolean };

export type SourceProcessOptions = WalkOptions & { watch: boolean };
