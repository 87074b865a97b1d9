import { type ComponentType, lazy, useSyncExternalStore } from 'react';
import { noteReachable } from './reachability.ts';

/**
 * Parts of the dashboard that are loaded when they are first shown. That fails while the service is away, and for good once another
 * version of the dashboard is installed, because the names of its files hold a hash of their content.
 */

/** A part could not be loaded. `lost`: not before the page is loaded again, because browsers remember a module that failed. */
class PartError extends Error {
  override name = 'PartError';
  readonly lost: boolean;

  constructor(lost: boolean, cause?: unknown) {
    super('A part of the dashboard could not be loaded.', { cause });
    this.lost = lost;
  }
}

export const isPartError = (error: unknown): error is PartError => error instanceof PartError;

/** The service that this page comes from; another one may be shown. Throws when it does not answer. */
async function askOwnService(path: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(path, { ...init, cache: 'no-store' });
    if (response.status < 500) return response;
  } catch {
    // As well as a proxy's answer for a service that is away.
  }
  noteReachable(false);
  throw new PartError(false);
}

/** Loads a module. The service is asked first: a module that fails to load would never be tried again. Throws `PartError`. */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  await askOwnService('/favicon.svg', { method: 'HEAD' });
  try {
    return await load();
  } catch (error) {
    throw new PartError(true, error);
  }
}

const entryOf = (page: Document) => page.querySelector('script[type=module][src]')?.getAttribute('src') ?? null;

/** Whether the service does not answer, has this version of the dashboard, or another one. */
export async function checkVersion(): Promise<'away' | 'same' | 'other'> {
  try {
    const html = await (await askOwnService('/', {})).text();
    const current = entryOf(new DOMParser().parseFromString(html, 'text/html'));
    return current === null ? 'away' : current === entryOf(document) ? 'same' : 'other';
  } catch {
    return 'away';
  }
}

const retryMs = 2000;

/** Loads a module, and tries again until it is there: the page around it stays as it is. */
export async function loadUntilThere<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await loadPart(load);
    } catch (error) {
      if (isPartError(error) && error.lost) noteLost();
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

/** A component that is loaded when it is first shown. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadUntilThere(load) }));

let lost = false;
const listeners = new Set<() => void>();

function noteLost(): void {
  lost = true;
  for (const listener of listeners) listener();
}

/** Whether something of the page that is shown waits for the page to be loaded again. */
export const useLostPart = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lost,
  );
