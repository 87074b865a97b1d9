/** Where a JPEG may lie in a raw photograph. Nothing says that it does. */
export type PreviewPlace = { at: number; length: number };

/** A raw photograph as it is read: by the pictures that its camera put into it, and by what it says of itself. */
export type RawPhoto = {
  mimeType: string;
  /** What people call the format, such as `CR2`. */
  format: string;
  previews: PreviewPlace[];
  /** As EXIF numbers it; the previews are not turned. Undefined: the preview says it itself. */
  orientation: number | undefined;
  /** Its tags as a small TIFF; null: the preview has them. */
  tags: Buffer | null;
};

/** Formats by their media types, with what people call them. */
export const rawFormats: Record<string, string> = {
  'image/x-canon-cr2': 'CR2',
  'image/x-canon-cr3': 'CR3',
  'image/x-nikon-nef': 'NEF',
  'image/x-sony-arw': 'ARW',
  'image/x-adobe-dng': 'DNG',
  'image/x-fujifilm-raf': 'RAF',
  'image/x-olympus-orf': 'ORF',
  'image/x-panasonic-rw2': 'RW2',
};
