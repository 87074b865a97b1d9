/**
 * A bucket that cannot be used now: it cannot be reached, refuses, or fails. It says nothing about the files in it. Its `code` makes it a
 * failure of the machine (`server/errors/system-errors.ts`), so jobs wait and requests are answered with 503.
 */
export class StorageError extends Error {
  override name = 'StorageError';
  readonly code = 'ERR_STORAGE';
  /** What S3 answered, such as `AccessDenied`, or the code of a failed connection. */
  readonly reason: string;

  /** @param message a sentence for operators */
  constructor(message: string, reason: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

type SdkError = Error & {
  Code?: string;
  code?: string;
  Region?: string;
  $metadata?: { httpStatusCode?: number };
};

/** What a bucket is for: the files of the service, or a source, which is only read. */
export type BucketUse = 'storage' | 'source';

/** Where a bucket is, for sentences. */
export type BucketPlace = { bucket: string; endpoint: string | null; region: string; use: BucketUse };

const permissions: Record<BucketUse, string> = {
  storage:
    's3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, s3:ListBucketMultipartUploads and s3:AbortMultipartUpload',
  source: 's3:GetObject and s3:ListBucket',
};

/** Whether S3 says that there is no such object. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && (['NoSuchKey', 'NotFound'].includes(error.name) || reasonOf(error) === 'NoSuchKey');

/** Turns an error of the SDK into what callers of the asset store know: ENOENT, the reason of an abort, `StorageError`. */
export function toStorageError(error: unknown, place: BucketPlace, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  if (!(error instanceof Error) || error instanceof StorageError) return error;
  if (isMissing(error)) return Object.assign(new Error('ENOENT: no such object', { cause: error }), { code: 'ENOENT' });
  const sdk = error as SdkError;
  // Errors of the disk, at both ends of a transfer.
  if (sdk.$metadata === undefined && ['ENOENT', 'ENOSPC', 'EDQUOT', 'EIO', 'EACCES'].includes(String(sdk.code)))
    return error;
  const reason = reasonOf(sdk);
  return new StorageError(describe(reason, place, sdk), reason, { cause: error });
}

const reasonOf = (error: SdkError): string => {
  // A HEAD has no body that could say more.
  const status = error.$metadata?.httpStatusCode;
  const name = error.name === 'Unknown' || error.name === 'Error' ? undefined : error.name;
  return error.Code ?? error.code ?? name ?? (status === undefined ? error.message : `HTTP ${status}`);
};

/** What failed, and what an operator can do about it. */
function describe(reason: string, { bucket, endpoint, region, use }: BucketPlace, error: SdkError): string {
  const server = endpoint ?? `Amazon S3 in ${region}`;
  const sentences: [RegExp, string][] = [
    [
      /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidClientTokenId)$/,
      `${server} does not accept the credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of this store.`,
    ],
    [
      /^(?:ExpiredToken|TokenRefreshRequired|InvalidToken)$/,
      `The session of the AWS credentials has expired; renew them.`,
    ],
    [
      /^(?:CredentialsProviderError|TokenProviderError)$/,
      'There are no AWS credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role.',
    ],
    [
      /^(?:AccessDenied|AllAccessDisabled|HTTP 403)$/,
      `${server} refuses access to the bucket ${bucket}; the key needs ${permissions[use]} on it.`,
    ],
    [
      /^(?:NoSuchBucket|InvalidBucketName)$/,
      `There is no bucket ${bucket} at ${server}${use === 'storage' ? '; create it, or correct STORAGE_URL' : ''}.`,
    ],
    [
      /^(?:PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|HTTP 301)$/,
      `The bucket ${bucket} is not in the region ${region}; set AWS_REGION to ${error.Region ?? 'its own'}.`,
    ],
    [
      /^RequestTimeTooSkewed$/,
      `The clock of this machine differs from that of ${server} by more than 15 minutes; set it.`,
    ],
    [/^(?:ENOTFOUND|EAI_AGAIN)$/, `The name of ${server} is unknown; correct AWS_ENDPOINT_URL_S3 or AWS_REGION.`],
    [
      /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ECONNRESET|ETIMEDOUT|TimeoutError|EPIPE|UND_ERR_.*)$/,
      `${server} cannot be reached (${reason}); check AWS_ENDPOINT_URL_S3 and the network.`,
    ],
    [/CERT|TLS|SSL|SELF_SIGNED/, `The certificate of ${server} is not trusted (${reason}); set NODE_EXTRA_CA_CERTS.`],
    [/^(?:SlowDown|ServiceUnavailable|InternalError|HTTP 50\d)$/, `${server} is overloaded or fails (${reason}).`],
  ];
  const known = sentences.find(([pattern]) => pattern.test(reason));
  return known?.[1] ?? `${server} failed: ${reason}${error.message === reason ? '' : ` (${error.message})`}.`;
}
