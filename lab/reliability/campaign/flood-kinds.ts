/** What one key can flood a service with. */
export const floodKinds = [
  'large JSON image searches',
  'image searches by a moment',
  'uploads',
  'long text searches',
  'searches with rerank',
  'highlights and map',
  'brackets without a key',
  'wrong passwords',
  'archives',
  'lists of 5,000 moments',
  'parts of one byte',
] as const;
export type FloodKind = (typeof floodKinds)[number];

/** Options of the flooding process. */
export type FloodOptions = {
  url: string;
  key: string;
  kind: FloodKind;
  /** Concurrent requests. */
  concurrency: number;
  /** A video of the key's workspace. */
  mediaId: string;
  /** Path of an image. */
  photo: string;
  /** A large item of the key's workspace. */
  largeId: string;
};
