/** The file cannot be read as media. `message` is a sentence that helps the uploader. */
export class UnreadableMediaError extends Error {
  override name = 'UnreadableMediaError';
  readonly code: 'unreadable_media' | 'unsupported_codec' | 'no_picture' | 'too_large' | 'encrypted_media';

  constructor(code: UnreadableMediaError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
