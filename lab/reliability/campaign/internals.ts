/** Internals of the service: stacks, paths, names of libraries and errors, `undefined` and the like. */
const patterns = [
  /\bat .+:\d+:\d+|node_modules|\/(?:tmp|home|root|usr|proc)\/|\.ts\b|\[object|\bundefined\b|\bNaN\b/,
  /SQLITE|\bE(?:NO|EX|AC|PI|CO|IN|IO|MF|PE)[A-Z]+\b|FST_|(?:Type|Range|Syntax|Reference|Zod)Error/,
  /kysely|ffmpeg|libav|sqlite|tinypool|fastify|vips/i,
];

/** The first internal in a message; undefined when there is none. */
export const findInternals = (message: string): string | undefined =>
  patterns.map((pattern) => pattern.exec(message)?.[0]).find((found) => found !== undefined);
