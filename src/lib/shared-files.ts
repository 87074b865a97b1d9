/** Where the service worker (`public/service-worker.js`) keeps what other apps share, until a page takes it. */
const cacheName = 'shared';

/** What was shared with the installed app: files, or the address of one. */
export async function readShared(): Promise<{ files: File[]; address: string | null }> {
  const cache = await caches.open(cacheName);
  const files: File[] = [];
  let address: string | null = null;
  for (const request of await cache.keys()) {
    const response = await cache.match(request);
    if (!response) continue;
    const name = response.headers.get('X-Name');
    if (name === null) address = await response.text();
    else {
      const type = response.headers.get('Content-Type') ?? '';
      files.push(new File([await response.blob()], decodeURIComponent(name), { type }));
    }
  }
  return { files, address };
}

/** Forgets what was shared: it was taken, or is not wanted, or the next person at this browser must not get it. */
export async function clearShared(): Promise<void> {
  // Only pages of a secure address have such caches.
  if ('caches' in window) await caches.delete(cacheName);
}
