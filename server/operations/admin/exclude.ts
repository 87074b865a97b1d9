/** Keeps services away from a database, whose driver is loaded only here. Throws `StartupError` while one uses it. */
export async function exclude(url: string): Promise<AsyncDisposable> {
  const { excludeServices } = await import('../../catalog/postgres/presence.ts');
  return excludeServices(url);
}
