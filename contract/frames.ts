import { z } from 'zod';
import type { Operation } from './operation.ts';
import { idParams, integerParameter } from './parameters.ts';

const frameQuery = z.object({
  at: z
    .string()
    .regex(/^\d{1,7}(?:\.\d{1,9})?$/, 'must be a number of seconds, such as 12.5')
    .transform(Number)
    .pipe(z.number().min(0))
    .default(0)
    .describe('Seconds from the start of a video, at most its duration. An image has one frame, whatever this says.'),
  width: integerParameter(16, 1920)
    .default(640)
    .describe('Pixels, at most; the height follows and is at most 1920. Nothing is scaled up.'),
});

/** What a video shows at a moment, for clients that look at pictures but do not play videos. */
export const frameOperations = {
  getFrame: {
    method: 'GET',
    path: '/media/:id/frame',
    tag: 'Media',
    access: 'key',
    summary: 'The frame that a video shows at a time, or an image scaled down.',
    description: 'Upright, in sRGB, without what the file says of itself.',
    params: idParams,
    query: frameQuery,
    conditional: true,
    responses: { 200: 'A JPEG image.' },
    file: ['image/jpeg'],
    data: z.string().meta({ format: 'binary', examples: ['(the bytes of a JPEG image)'] }),
    errors: ['not_found', 'not_ready', 'unreadable_media'],
  },
} as const satisfies Record<string, Operation>;
