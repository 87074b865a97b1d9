/** Longest body of a request over HTTP, bytes: of an image in base64. */
export const maxBodyBytes = 4 * 2 ** 20;
