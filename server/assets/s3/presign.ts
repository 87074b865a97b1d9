import type { BucketClient } from './bucket-client.ts';

/** How a presigned answer is to be labelled. */
export type LinkHeaders = {
  contentType: string;
  /** `Content-Disposition`; null: none. */
  disposition: string | null;
};

const windowSeconds = 6 * 60 * 60;

/**
 * The address under which the store itself gives an object, for 6 to 12 hours. It stays the same within a window of 6 hours, as the addresses
 * of this service do, so that browsers can cache the file. Credentials of a role may end it earlier.
 */
export async function presign(
  { sdk, s3, settings, ask }: BucketClient,
  key: string,
  { contentType, disposition }: LinkHeaders,
): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const command = new sdk.GetObjectCommand({
    Bucket: settings.bucket,
    Key: key,
    ResponseContentType: contentType,
    ResponseCacheControl: `private, max-age=${windowSeconds}, immutable`,
    ...(disposition !== null && { ResponseContentDisposition: disposition }),
  });
  const signingDate = new Date(Math.floor(Date.now() / 1000 / windowSeconds) * windowSeconds * 1000);
  return ask(() => getSignedUrl(s3, command, { signingDate, expiresIn: 2 * windowSeconds }));
}
