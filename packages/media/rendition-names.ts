/** The name of a video's preview, which plays while the original is away: where that is there, browsers play the original. */
export const previewFile = 'preview.mp4';
