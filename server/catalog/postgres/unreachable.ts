import { StartupError } from '../../errors/startup-error.ts';

/** Why the first connection could not be made, for the operator. The driver names no password. */
export function toUnreachable(error: unknown): StartupError {
  if (error instanceof StartupError) return error;
  // A name with several addresses gives an error for each.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const reason = first instanceof Error ? first.message : 'the reason is unknown';
  return new StartupError(`The database of DATABASE_URL cannot be used: ${reason}.`, { cause: error });
}
