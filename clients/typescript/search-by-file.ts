import { searchMediaByImage } from './generated/index.ts';
import { formDataBodySerializer } from './operations.ts';

/**
 * Searches by an image that the caller has. It is sent in a form, which may hold a larger one than JSON may (`searchMediaByImage`).
 */
export const searchMediaByFile = (
  file: Blob,
  options: Omit<Parameters<typeof searchMediaByImage>[0], 'body'>,
): ReturnType<typeof searchMediaByImage> =>
  // The generated types describe the body in JSON only.
  searchMediaByImage({
    ...options,
    body: { file } as object,
    ...formDataBodySerializer,
    headers: { 'Content-Type': null },
  });
