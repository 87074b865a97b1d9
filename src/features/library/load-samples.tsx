import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Clapperboard } from 'lucide-react';
import { useEffect } from 'react';
import { listMediaQueryKey } from '../../api/generated/api/index.ts';
import { loadSamplesMutation } from '../../api/generated/dashboard/index.ts';
import { mediaKeys } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';

/** While samples are drawn, each shows as soon as it is there. */
const lookEveryMs = 1500;

/** Fills an empty workspace with clips and images that the service draws, to try everything with. */
export function LoadSamples() {
  const client = useQueryClient();
  const load = useMutation({
    ...loadSamplesMutation(),
    onSuccess: ({ data: { added } }) =>
      toast.success(`${added} sample clips and photos are being processed. Try searching for “blue sky”.`),
    onSettled: () => Promise.all(mediaKeys.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  useEffect(() => {
    if (!load.isPending) return undefined;
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: listMediaQueryKey() }), lookEveryMs);
    return () => clearInterval(timer);
  }, [load.isPending, client]);
  return (
    <Button onClick={() => load.mutate({})} disabled={load.isPending}>
      <Clapperboard aria-hidden />
      {load.isPending ? 'Creating samples…' : 'Load sample clips'}
    </Button>
  );
}
