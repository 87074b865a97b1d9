import { queryOptions } from '@tanstack/react-query';

/** How loud a recording is over its time: numbers from 0 to 255 in equal parts; none where it cannot be had. @param url `MediaItem.waveform` */
export const waveformOptions = (url: string | null) =>
  queryOptions({
    // Its signature changes with each answer, its file does not.
    queryKey: ['waveform', url?.split('?')[0]],
    enabled: url !== null,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<readonly number[]> => {
      const answer = await fetch(url ?? '', { signal });
      const { peaks } = (answer.ok ? await answer.json() : {}) as { peaks?: unknown };
      return Array.isArray(peaks) ? peaks.filter((peak) => typeof peak === 'number') : [];
    },
  });
