import { searchMediaByVideo } from './generated/index.ts';
import { formDataBodySerializer } from './operations.ts';

/** Finds where a video or a photograph that the caller has is used. @param span seconds of it that are looked for; all unless said */
export const searchMediaByVideoFile = (
  file: Blob,
  {
    n,
    start,
    end,
    ...options
  }: Omit<Parameters<typeof searchMediaByVideo>[0], 'body'> & { n?: number; start?: number; end?: number },
): ReturnType<typeof searchMediaByVideo> =>
  // The generated types describe the body in JSON only.
  searchMediaByVideo({
    ...options,
    body: Object.fromEntries(
      Object.entries({ n, start, end, file }).filter(([, value]) => value !== undefined),
    ) as never,
    ...formDataBodySerializer,
    headers: { 'Content-Type': null },
  });
