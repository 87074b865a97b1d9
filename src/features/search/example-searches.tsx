import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Workspace } from '../../api/generated/api/index.ts';
import { workspaceOptions } from '../../api/queries.ts';
import { paths } from '../../paths.ts';

type Kind = Workspace['embedder']['kind'];

/** At least eight of the first ten hits of each were right with the built-in embedder (`lab/bench/things.tsv`). */
const things = [
  'dog in the water',
  'man riding a bicycle',
  'beach',
  'rock climbing',
  'basketball game',
  'surfer on a wave',
  'swimming pool',
];
/** Likewise of these, and with the descriptors alone six and more (`lab/bench/descriptor-queries.tsv`). */
const looks = ['black and white', 'white background'];
const examples: Record<Kind, string[]> = {
  builtin: [...things, ...looks],
  descriptors: ['blue sky', ...looks, 'dark', 'red', 'bright', 'brown', 'fast motion'],
  semantic: things,
};

/** Null until it is known. */
const useEmbedderKind = (): Kind | null => {
  const { data, isPending } = useQuery(workspaceOptions);
  return isPending ? null : (data?.embedder.kind ?? 'builtin');
};

/** Links to queries that the embedder of the workspace answers well. */
export function ExampleSearches() {
  const kind = useEmbedderKind();
  return kind === null ? null : examples[kind].map((example) => <QueryLink key={example} query={example} />);
}

/** What a description may speak of, as a clause. */
export const useDescribable = (): string =>
  useEmbedderKind() === 'descriptors'
    ? 'how it looks: colours and where they are, light, texture, motion'
    : 'what it shows: things, people, animals, places, actions, colours, light';

const QueryLink = ({ query }: { query: string }) => (
  <Link
    to={paths.searchFor(query)}
    className="max-w-full shrink-0 truncate rounded-full border border-line bg-surface px-3 py-1.5 text-label transition-colors hover:bg-raised pointer-coarse:py-3"
  >
    {query}
  </Link>
);
