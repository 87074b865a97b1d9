import type { BucketClient } from './bucket-client.ts';

/** An object in a folder of a bucket that other programs wrote. */
export type FolderObject = {
  key: string;
  bytes: number;
  modifiedAt: Date;
  /** Without quotation marks; null: the store has none. */
  etag: string | null;
  /** Such as `STANDARD` or `GLACIER`; null: the store does not say. */
  storageClass: string | null;
};

/** `folders`: the prefixes of the folders in it, each with a slash at its end. `undecodable`: keys that are not written in UTF-8, as the store sent them. */
export type ListedFolder = { objects: FolderObject[]; folders: string[]; undecodable: string[] };

/** An entity tag without the quotation marks that some answers have and others have not; null for none. */
export const plainEtag = (etag: string | undefined): string | null => etag?.replaceAll(/^W\/|"/g, '') || null;

/** Lists what is directly in a folder of a bucket. @param limit most entries; by default all */
export async function listFolder(client: BucketClient, prefix: string, limit?: number): Promise<ListedFolder> {
  const listed: ListedFolder = { objects: [], folders: [], undecodable: [] };
  for await (const { objects, folders, undecodable } of listPages(client, prefix, limit)) {
    listed.objects.push(...objects);
    listed.folders.push(...folders);
    listed.undecodable.push(...undecodable);
  }
  return listed;
}

/**
 * Lists what is directly in a folder of a bucket, page by page, in the order of their keys. Keys may be anything that S3 takes, also what XML cannot hold, so the store is asked to
 * encode them (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html, `EncodingType`).
 * @param prefix ends with a slash, or is empty @param limit most entries, of one page; by default all
 */
export async function* listPages(
  { sdk, settings, ask }: BucketClient,
  prefix: string,
  limit?: number,
): AsyncGenerator<ListedFolder & { isLast: boolean }> {
  let token: string | undefined;
  do {
    const listed: ListedFolder = { objects: [], folders: [], undecodable: [] };
    const page = await ask((s3) =>
      s3.send(
        new sdk.ListObjectsV2Command({
          Bucket: settings.bucket,
          Prefix: prefix,
          Delimiter: '/',
          EncodingType: 'url',
          ContinuationToken: token,
          MaxKeys: limit,
        }),
      ),
    );
    const read = (text = ''): string | null => {
      const key = page.EncodingType === 'url' ? decode(text) : text;
      if (key === null) listed.undecodable.push(text);
      return key;
    };
    for (const { Key, Size: bytes = 0, LastModified: modifiedAt = new Date(0), ETag, StorageClass } of page.Contents ??
      []) {
      const key = read(Key);
      if (key !== null)
        listed.objects.push({ key, bytes, modifiedAt, etag: plainEtag(ETag), storageClass: StorageClass ?? null });
    }
    for (const { Prefix } of page.CommonPrefixes ?? []) {
      const folder = read(Prefix);
      if (folder !== null) listed.folders.push(folder);
    }
    token = limit === undefined ? page.NextContinuationToken : undefined;
    yield { ...listed, isLast: token === undefined };
  } while (token !== undefined);
}

/** Null for what is not UTF-8. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
