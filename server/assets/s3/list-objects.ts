import { forEach } from '../../platform/storage/for-each.ts';
import type { BucketClient } from './bucket-client.ts';

export type ListedObject = { key: string; bytes: number; modifiedAt: Date };

/** Deletions at a time. Each is a request of its own, because stores disagree on how many keys in one are to be signed. */
const deletionsAtOnce = 16;

/** The objects whose keys begin with a prefix, in the order of their keys. */
export async function* listObjects(client: BucketClient, prefix: string): AsyncGenerator<ListedObject> {
  for await (const page of listPages(client, prefix)) {
    for (const { Key: key = '', Size: bytes = 0, LastModified: modifiedAt = new Date(0) } of page.Contents ?? []) {
      yield { key, bytes, modifiedAt };
    }
  }
}

/** The names of the "folders" below a prefix, which ends with a slash or is empty. */
export async function* listFolders(client: BucketClient, prefix: string): AsyncGenerator<string> {
  for await (const page of listPages(client, prefix, '/')) {
    for (const { Prefix: folder = '' } of page.CommonPrefixes ?? []) yield folder.slice(prefix.length, -1);
  }
}

async function* listPages({ sdk, settings, ask }: BucketClient, prefix: string, delimiter?: string) {
  let token: string | undefined;
  do {
    const parameters = { Bucket: settings.bucket, Prefix: prefix, Delimiter: delimiter, ContinuationToken: token };
    const page = await ask((s3) => s3.send(new sdk.ListObjectsV2Command(parameters)));
    yield page;
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

/** Deletes the objects of a prefix, or some of them. @param isWanted by key; by default all */
export async function deleteObjects(
  client: BucketClient,
  prefix: string,
  isWanted: (key: string) => boolean = () => true,
): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of listObjects(client, prefix)) if (isWanted(key)) keys.push(key);
  await forEach(keys, deletionsAtOnce, (key) => deleteObject(client, key));
}

/** Deletes an object. One that is not there is ignored. */
export async function deleteObject({ sdk, settings, ask }: BucketClient, key: string): Promise<void> {
  await ask((s3) => s3.send(new sdk.DeleteObjectCommand({ Bucket: settings.bucket, Key: key })));
}

/** An upload in parts that was begun and not completed: its parts take room, and no listing of objects shows them. */
export type OpenUpload = { key: string; uploadId: string; begunAt: Date };

export async function* listOpenUploads({ sdk, settings, ask }: BucketClient): AsyncGenerator<OpenUpload> {
  let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const parameters = { Bucket: settings.bucket, Prefix: settings.prefix, ...marker };
    const page = await ask((s3) => s3.send(new sdk.ListMultipartUploadsCommand(parameters)));
    for (const { Key: key = '', UploadId: uploadId = '', Initiated: begunAt = new Date() } of page.Uploads ?? []) {
      yield { key, uploadId, begunAt };
    }
    if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return;
    marker = {
      KeyMarker: page.NextKeyMarker,
      ...(page.NextUploadIdMarker !== undefined && { UploadIdMarker: page.NextUploadIdMarker }),
    };
  }
}

/** Removes the parts of such an upload. */
export async function abortUpload(
  client: BucketClient,
  { key, uploadId }: Pick<OpenUpload, 'key' | 'uploadId'>,
): Promise<void> {
  const { sdk, settings, ask } = client;
  await ask(async (s3) => {
    try {
      await s3.send(new sdk.AbortMultipartUploadCommand({ Bucket: settings.bucket, Key: key, UploadId: uploadId }));
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof Error && error.name === 'NoSuchUpload')) throw error;
    }
  });
}
