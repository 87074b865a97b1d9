import { expect, test } from 'vitest';
import { StorageError } from '../assets/s3/storage-error.ts';
import { createSample, refuseUnreadable } from './find-refusal.ts';

/** A bucket that answers for each key: whether it may be read. */
function bucketOf(mayRead: (key: string) => boolean) {
  const asked: string[] = [];
  return {
    asked,
    head(key: string) {
      asked.push(key);
      return mayRead(key) ? Promise.resolve(null) : Promise.reject(new StorageError('No right.', 'HTTP 403'));
    },
  };
}
const keys = Array.from({ length: 16 }, (_, i) => `${i}.jpg`);

test('a bucket that lists and refuses to read is away, and says so; one object that may be read is enough', async () => {
  await expect(
    refuseUnreadable(
      bucketOf(() => false),
      keys,
    ),
  ).rejects.toMatchObject({
    code: 'access_denied',
    message: 'Its objects are listed and may not be read: No right.',
  });
  const bucket = bucketOf(() => true);
  await refuseUnreadable(bucket, keys);
  expect(bucket.asked).toEqual(['0.jpg']);
  await refuseUnreadable(
    bucketOf((key) => key === '15.jpg'),
    keys,
  );
  await refuseUnreadable(
    bucketOf(() => false),
    keys.slice(0, 2),
  );
  await refuseUnreadable(
    bucketOf(() => false),
    [],
  );
});

test('all of a listing is as likely to be asked for', () => {
  const counts = [0, 0];
  for (let round = 0; round < 400; round++) {
    const sample = createSample();
    for (let i = 0; i < 64; i++) sample.add(String(i));
    expect(sample.keys).toHaveLength(16);
    for (const key of sample.keys) counts[Number(key) < 32 ? 0 : 1]! += 1;
  }
  // Of 6,400 each half has 3,200, with a deviation of about 35.
  expect(Math.abs((counts[0] as number) - 3200)).toBeLessThan(250);
});
