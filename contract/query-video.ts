/** What a video may be that is searched by. This file has no schemas, so that browsers load it without them. */

/** Most bytes of it. */
export const maxQueryVideoBytes = 200 * 2 ** 20;
/** The longest that it lasts, seconds. */
export const maxQueryVideoSeconds = 600;
