/** An error as S3 answers it. */
export class S3Error extends Error {
  override name = 'S3Error';
  /** The status of HTTP. Some errors come with 200. */
  readonly status: number;
  /** Such as `NoSuchKey`. */
  readonly code: string;
  /** The region of the bucket, where the error is that another was named. */
  readonly region: string | undefined;

  constructor(status: number, code: string, region?: string) {
    super(code);
    this.status = status;
    this.code = code;
    this.region = region;
  }
}
