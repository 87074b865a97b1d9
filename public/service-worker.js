// The dashboard as an installed app: it opens without a network, and other apps share files with it. Data of the service is never kept here.

const shell = 'shell';
const shared = 'shared';

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/** Keeps the page, and the files that it names. */
async function keepShell() {
  const cache = await caches.open(shell);
  const response = await fetch('/', { cache: 'no-store' });
  const html = await response.clone().text();
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
  await Promise.all([cache.put('/', response), cache.addAll(files)]);
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === 'POST' && pathname === '/share-target') event.respondWith(keepShared(request));
  else if (request.method !== 'GET') return;
  // Their names change with their content.
  else if (pathname.startsWith('/assets/')) event.respondWith(fromCache(request));
  else if (request.mode === 'navigate' && isPage(pathname)) event.respondWith(openPage(request));
  else if (['/theme.js', '/favicon.svg', '/manifest.webmanifest'].includes(pathname))
    event.respondWith(fromNetwork(request));
});

/** Pages of the dashboard; the others are of the service itself. */
const isPage = (pathname) => !/^\/(api|v1|mcp|auth|manage|files|reference|s|\.well-known)(\/|$)/.test(pathname);

async function fromCache(request) {
  const cache = await caches.open(shell);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

async function fromNetwork(request) {
  const cache = await caches.open(shell);
  // What asks by HEAD whether the service is there wants no answer from here.
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

/** The page as the service has it now; without a network as it was. A new version takes the place of the files of the one before. */
async function openPage(request) {
  const cache = await caches.open(shell);
  try {
    const response = await fetch(request);
    if (response.ok && (response.headers.get('Content-Type') ?? '').startsWith('text/html')) {
      const html = await response.clone().text();
      const before = await (await cache.match('/'))?.text();
      if (before !== html && html.includes('id="root"')) {
        await caches.delete(shell);
        await (await caches.open(shell)).put('/', new Response(html, { headers: response.headers }));
      }
    }
    return response;
  } catch (error) {
    const kept = await cache.match('/');
    if (kept) return kept;
    throw error;
  }
}

/** Keeps files that another app shares, or the address of one, and opens the library, which asks whether to upload them: any page can send them here. */
async function keepShared(request) {
  const form = await request.formData();
  const cache = await caches.open(shared);
  const files = form.getAll('files').filter((entry) => entry instanceof File);
  await Promise.all(
    files.map((file, i) =>
      cache.put(
        `/shared/${Date.now()}-${i}`,
        new Response(file, { headers: { 'Content-Type': file.type, 'X-Name': encodeURIComponent(file.name) } }),
      ),
    ),
  );
  const address = [form.get('url'), form.get('text')].find((text) =>
    /^https?:\/\/\S+$/.test(String(text ?? '').trim()),
  );
  if (files.length === 0 && address) await cache.put('/shared/address', new Response(String(address).trim()));
  return Response.redirect('/?shared', 303);
}
