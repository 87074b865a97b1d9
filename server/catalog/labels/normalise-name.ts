/** Names that differ only in case or in the encoding of their accents are the same. */
export const normaliseName = (name: string): string => name.normalize('NFKC').toLowerCase();
