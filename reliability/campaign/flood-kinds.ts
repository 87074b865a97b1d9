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

/** What the flooding thread is given. */
export type FloodOptions = {
  url: string;
  key: string;
  kind: FloodKind;
  /** Requests to keep under way. */
  concurrency: number;
  /** A video of the key's workspace. */
  mediaId: string;
  /** File with a picture. */
  photo: string;
};
