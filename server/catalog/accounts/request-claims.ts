import type { Catalog } from '../schema.ts';

/** A claim on the key of a request, until it is disposed of. */
export type RequestClaim = AsyncDisposable & {
  /**
   * Makes sure, in the transaction that creates what the request is for, that no other request has the key by now.
   * @returns false when another may have taken it: the transaction must be rolled back
   */
  confirm(transaction: Catalog): Promise<boolean>;
};

/** The keys of requests that are under way, at all processes of the service. What ends a process frees its keys. */
export type RequestClaims = {
  /** Claims the key of a request. Undefined when a request with it is under way. */
  claim(workspaceId: string, key: string): Promise<RequestClaim | undefined>;
};
