import type { IndexSnapshot } from '../index/index-memory.ts';
import type { IndexKey } from './built-index.ts';

/** What the builder is asked for. */
export type BuilderRequest =
  /** Bring the index of a workspace up to date. */
  | ({ kind: 'refresh'; id: number } & IndexKey)
  /** Save the index of a workspace and free its memory. */
  | { kind: 'close'; id: number; workspaceId: string }
  /** Save the indexes and end. */
  | { kind: 'stop'; id: number };

/** What the builder says. */
export type BuilderMessage =
  /** `isReady`: false where another process builds the index, and has not saved it yet. */
  | { kind: 'done'; id: number; isReady: boolean }
  | { kind: 'failed'; id: number; error: Error }
  /** Work in the background failed; searches go on. */
  | { kind: 'problem'; workspaceId: string; error: Error }
  /** From now on searches of a workspace read this. */
  | { kind: 'snapshot'; workspaceId: string; embedderId: string; snapshot: IndexSnapshot };
