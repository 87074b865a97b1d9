/** What one key can flood a service with. */
export const floodKinds = [
  'large JSON image searches',
  'image searches by a moment',
  'uploads',
  'long text searches',
  'searches with rerank',
  'highlights and map',
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
};
