/**
 * Extensions that videos and images usually have. A folder is searched for these; a file that is named itself may have any, because the service
 * looks at the content.
 */
const extensions = new Set(
  (
    '3g2 3gp 3gpp asf avi divx dv f4v flv gxf m2ts m2v m4v mjpeg mjpg mkv mov mp4 mpe mpeg mpg mts mxf nut ogm ogv qt rm rmvb ts vob webm wmv y4m ' +
    'apng avif bmp gif heic heif hif j2k jfif jp2 jpe jpeg jpg jxl png tif tiff webp'
  ).split(' '),
);

/** Whether a file of this name is usually a video or an image. Hidden files are not: macOS keeps `._holiday.mov` beside its files. */
export const isMediaName = (name: string): boolean =>
  !name.startsWith('.') && extensions.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
