import { useEffect, useEffectEvent } from 'react';
import { useSearchParams } from 'react-router';
import { takeShared } from '../../lib/shared-files.ts';

/** Takes what another app shared with the installed dashboard: the service worker keeps it and opens the page with `?shared`. */
export function useShared(takeFiles: (files: readonly File[]) => void, takeAddress: (address: string) => void): void {
  const [search, setSearch] = useSearchParams();
  const isShared = search.has('shared');
  const take = useEffectEvent(async () => {
    setSearch({}, { replace: true });
    const { files, address } = await takeShared();
    if (files.length > 0) takeFiles(files);
    else if (address !== null) takeAddress(address);
  });
  useEffect(() => {
    if (isShared) void take();
  }, [isShared]);
}
