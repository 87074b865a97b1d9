/**
 * Whether a statement of PostgreSQL failed because it was prepared before another process changed a table; prepared again it works. Messages are in the
 * language of the server, so the place in its source tells (`plancache.c`).
 */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === '0A000' &&
  'routine' in error &&
  error.routine === 'RevalidateCachedQuery';

/** Whether a transaction failed only because of others (serialization_failure, deadlock_detected), and works when it is begun again. */
export const isTransient = (error: unknown): boolean =>
  isOutdatedPlan(error) ||
  (error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01'));
