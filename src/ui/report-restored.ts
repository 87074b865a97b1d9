import { toast } from './toast.ts';

/**
 * Says what became of items that were to leave the trash. Those that are not in the library were deleted for good meanwhile.
 * @param what all of them, as a sentence names them: a file name, or `3 items`
 */
export function reportRestored(restored: number, asked: number, what: string): void {
  if (restored === asked) toast.success('Restored', { description: what });
  else {
    const description = `${asked - restored} of ${asked} had been deleted for good meanwhile.`;
    toast.error(restored === 0 ? 'Nothing was restored' : `Restored ${restored} of ${asked}`, { description });
  }
}
