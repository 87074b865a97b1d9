/** Names of videos whose type browsers do not know. */
const videoNames = /\.(mts|m2ts|ts|mkv|mxf|avi|wmv|flv|vob|3gp|mov|mp4|m4v|webm|ogv|mpe?g)$/i;

/** Whether a file is a video, as far as a browser can tell. */
export const isVideo = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  type.startsWith('video/') || (['', 'application/octet-stream'].includes(type) && videoNames.test(name));
