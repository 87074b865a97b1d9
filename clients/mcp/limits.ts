/** Longest body of a request over HTTP, bytes: of an image in base64. By itself, because the service reads it before it loads the libraries. */
export const maxBodyBytes = 4 * 2 ** 20;
