import { isNotSupported } from '../typescript/index.ts';

/** The answer to a request of something that only some services have, or `otherwise` where the service does not have it. */
export const ifSupported = <Answer, Otherwise>(
  request: Promise<Answer>,
  otherwise: Otherwise,
): Promise<Answer | Otherwise> =>
  request.catch((error: unknown) => {
    if (isNotSupported(error)) return otherwise;
    throw error;
  });
