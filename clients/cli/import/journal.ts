import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Lines } from '../files/lines.ts';

/** What was imported of an asset. */
export type Imported = {
  /** That of the asset then. */
  version: string;
  /** Its item; null: the service refuses its file. */
  mediaId: string | null;
  /** Of the item; null: not known then. */
  sha256: string | null;
  /** Why the service refuses the file; a sentence. */
  refused?: string;
  /** What it was given: labels by `Label.token`, `rating`, `date` and `description`. It is given once, so that what people change stays changed. */
  done: string[];
};

/** What imports from one library did, in a file that a killed command leaves whole. */
export type Journal = {
  asset: (id: string) => Imported | undefined;
  noteAsset: (id: string, imported: Imported) => void;
  /** The collection or tag that a label became. */
  label: (token: string) => string | undefined;
  noteLabel: (token: string, id: string) => void;
  /** Whether another label than this became a collection or tag. */
  isOfOther: (token: string, id: string) => boolean;
};

/** @param name of the library, as a name of files */
export function openJournal(folder: string, name: string): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const assets = new Lines<Imported>(path.join(folder, `${name}-assets.jsonl`));
  const labels = new Lines<string>(path.join(folder, `${name}-labels.jsonl`));
  return {
    asset: (id) => assets.get(id),
    noteAsset: (id, imported) => assets.set(id, imported),
    label: (token) => labels.get(token),
    noteLabel: (token, id) => labels.set(token, id),
    isOfOther: (token, id) => labels.some((key, value) => value === id && key !== token),
  };
}
