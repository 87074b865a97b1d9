import { lockCount } from '../index/index-memory.ts';

/** How often a lock is tried before its holder is waited for: what it does takes some microseconds. */
const tries = 200;
/** Its holder may have lost its processor; then it is tried again after so many milliseconds. */
const waitMs = 1;

/**
 * Runs what changes the links of a slot while no other thread does. Readers need no lock. A lock holds the number of its thread plus one, so
 * that those of a thread that died can be opened (`openLocksOf`). No thread holds two, so none waits for another in a circle.
 */
export function withLock(locks: Int32Array, slot: number, thread: number, change: () => void): void {
  const place = slot % lockCount;
  for (let tried = 0; ; tried++) {
    const holder = Atomics.compareExchange(locks, place, 0, thread + 1);
    if (holder === 0) break;
    if (tried >= tries) Atomics.wait(locks, place, holder, waitMs);
  }
  try {
    change();
  } finally {
    Atomics.store(locks, place, 0);
  }
}

/** Opens the locks that a thread held when it died. The links of their slots are each right, at worst some twice. */
export function openLocksOf(locks: Int32Array, thread: number): void {
  for (let place = 0; place < lockCount; place++) Atomics.compareExchange(locks, place, thread + 1, 0);
}
