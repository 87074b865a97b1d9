import type { RequestClaims } from './request-claims.ts';

/** Claims in memory, where this process is the only one that serves requests. A crash or a full disk frees a key too. */
export function createMemoryRequestClaims(): RequestClaims {
  const claimed = new Set<string>();
  return {
    async claim(workspaceId, key) {
      const name = `${workspaceId} ${key}`;
      if (claimed.has(name)) return undefined;
      claimed.add(name);
      return {
        confirm: async () => true,
        [Symbol.asyncDispose]: async () => void claimed.delete(name),
      };
    },
  };
}
