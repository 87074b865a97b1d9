import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { Clapperboard, Search } from 'lucide-react';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { listMediaOptions, listMediaQueryKey } from '../../api/generated/api/index.ts';
import { loadSamplesMutation } from '../../api/generated/dashboard/index.ts';
import { mediaKeys } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';

/** While samples are added, each shows as soon as it is there. */
const lookEveryMs = 1500;

/** What the samples answer well, by what they show and by what is said in them. */
const searches = ['animals in the grass', 'building at night', 'orchestra'];

/** How long the searches are offered, milliseconds. */
const offeredMs = 60_000;

/** Fills an empty workspace with clips and photographs to try everything with, and offers searches once they are indexed. */
export function LoadSamples() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const refresh = () => Promise.all(mediaKeys.map((queryKey) => client.invalidateQueries({ queryKey })));
  const offerWhenReady = async () => {
    await whenIndexed(client);
    void refresh();
    offerSearches((query) => void navigate(paths.searchFor(query)));
  };
  const load = useMutation({
    ...loadSamplesMutation(),
    onSuccess: ({ data: { added } }) => {
      toast.success(`${added} sample clips and photos are being processed.`);
      // The button goes with the empty library; the offer comes all the same.
      void offerWhenReady();
    },
    onSettled: refresh,
  });
  useEffect(() => {
    if (!load.isPending) return undefined;
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: listMediaQueryKey() }), lookEveryMs);
    return () => clearInterval(timer);
  }, [load.isPending, client]);
  return (
    <Button onClick={() => load.mutate({})} disabled={load.isPending}>
      <Clapperboard aria-hidden />
      {load.isPending ? 'Adding samples…' : 'Load sample clips'}
    </Button>
  );
}

/** Resolves when no item waits to be indexed. A failed request is asked again. */
async function whenIndexed(client: QueryClient): Promise<void> {
  const count = async (status: 'pending' | 'indexing') => {
    const options = listMediaOptions({ query: { status, per_page: 1 } });
    return (await client.fetchQuery({ ...options, staleTime: 0 })).meta.total;
  };
  for (;;) {
    const left = await Promise.all([count('pending'), count('indexing')]).catch(() => [1]);
    if (left.every((each) => each === 0)) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

function offerSearches(onSearch: (query: string) => void): void {
  const id = 'samples';
  const search = (query: string) => {
    toast.dismiss(id);
    onSearch(query);
  };
  toast.success('The samples are ready. Try a search:', {
    id,
    duration: offeredMs,
    description: (
      <span className="mt-2 flex flex-wrap gap-2">
        {searches.map((query) => (
          <Button key={query} onClick={() => search(query)}>
            <Search aria-hidden />
            {query}
          </Button>
        ))}
      </span>
    ),
  });
}
