/** Where the service worker (`public/service-worker.js`) keeps what other apps share, until a page takes it. */
const cacheName = 'shared';

/** What was shared with the installed app: files, or the address of one. It is given once. */
export async function takeShared(): Promise<{ files: File[]; address: string | null }> {
  const cache = await caches.open(cacheName);
  const files: File[] = [];
  let address: string | null = null;
  for (const request of await cache.keys()) {
    const response = await cache.match(request);
    await cache.delete(request);
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
