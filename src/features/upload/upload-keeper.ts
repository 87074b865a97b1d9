import type { KeptUpload } from './kept-uploads.ts';
import { isOpen, type Upload } from './upload.ts';

/** A file as browsers give it that let a page keep it (dropped in Chromium over HTTPS). */
type FileWithHandle = File & { handle?: FileSystemFileHandle };

export type KeepingPlace = {
  keep: (uploads: readonly KeptUpload[]) => Promise<void>;
  drop: (ids: readonly string[]) => Promise<void>;
};

/** Whether another visit could go on with it: it is not sent, and can succeed. */
const isWorthKeeping = (upload: Upload): boolean =>
  isOpen(upload) || (upload.state === 'failed' && upload.mediaId === null && upload.failure?.retry !== 'never');

/** Keeps what a visit has not sent yet, as the queue changes. */
export class UploadKeeper {
  readonly #place: KeepingPlace;
  readonly #visit: string;
  /** What is kept now, by key: what of it may change. */
  readonly #kept = new Map<number, Pick<Upload, 'address' | 'kept' | 'labels'>>();

  constructor(place: KeepingPlace, visit: string) {
    this.#place = place;
    this.#visit = visit;
  }

  /** Takes all uploads of the visit as they are now. */
  note(uploads: readonly Upload[], person: string): void {
    const worth = uploads.filter(isWorthKeeping);
    const changed = worth.filter(({ key, address, kept, labels }) => {
      const before = this.#kept.get(key);
      return before?.address !== address || before.kept !== kept || before.labels !== labels;
    });
    const keys = new Set(worth.map(({ key }) => key));
    const gone = [...this.#kept.keys()].filter((key) => !keys.has(key));
    for (const { key, address, kept, labels } of changed) this.#kept.set(key, { address, kept, labels });
    for (const key of gone) this.#kept.delete(key);
    if (changed.length > 0) void this.#place.keep(changed.map((upload) => this.#toKept(upload, person)));
    if (gone.length > 0) void this.#place.drop(gone.map((key) => this.#id(key)));
  }

  /** Leaves what is kept as it is, for a later visit. */
  leave(): void {
    this.#kept.clear();
  }

  #id(key: number): string {
    return `${this.#visit}-${key}`;
  }

  #toKept({ key, file, labels, sentLabels, address, kept }: Upload, person: string): KeptUpload {
    const { name, size, lastModified } = file;
    const { handle = null } = file as FileWithHandle;
    const id = this.#id(key);
    return {
      id,
      visit: this.#visit,
      person,
      name,
      size,
      lastModified,
      labels,
      sentLabels,
      address,
      kept,
      at: Date.now(),
      handle,
    };
  }
}
