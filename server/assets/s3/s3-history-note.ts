import { hasErrorCode } from '../../errors/system-errors.ts';
import { historyNotePath } from '../disk-layout.ts';
import type { HistoryNote } from '../history-note.ts';
import type { BucketClient } from './bucket-client.ts';

/** The note in a bucket. */
export function createS3HistoryNote({ sdk, settings, ask }: BucketClient): HistoryNote {
  const place = { Bucket: settings.bucket, Key: settings.prefix + historyNotePath };
  return {
    async read() {
      try {
        const answer = await ask((s3) => s3.send(new sdk.GetObjectCommand(place)));
        return (await answer.Body?.transformToString()) ?? null;
      } catch (error) {
        if (hasErrorCode(error, 'ENOENT')) return null;
        throw error;
      }
    },
    async write(text) {
      await ask((s3) => s3.send(new sdk.PutObjectCommand({ ...place, Body: Buffer.from(text) })));
    },
  };
}
