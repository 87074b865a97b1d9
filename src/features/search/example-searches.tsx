import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { workspaceOptions } from '../../api/queries.ts';
import { paths } from '../../paths.ts';

/** Queries to try. Those for the descriptors were measured: six of ten hits and more show it (`bench/builtin-quality.ts`). */
const things = ['a dog in the grass', 'people at a table', 'city at night', 'boats on the water', 'somebody speaking'];
const examples = {
  builtin: things,
  descriptors: ['blue sky', 'black and white', 'dark', 'red', 'white background', 'bright', 'brown', 'fast motion'],
  semantic: things,
};

/** Links to queries that the embedder of the workspace answers well. */
export function ExampleSearches() {
  const kind = useQuery(workspaceOptions).data?.embedder.kind ?? 'builtin';
  return examples[kind].map((example) => <QueryLink key={example} query={example} />);
}

export const QueryLink = ({ query }: { query: string }) => (
  <Link
    to={paths.searchFor(query)}
    className="max-w-full truncate rounded-full border border-line bg-surface px-3 py-1.5 text-label transition-colors hover:bg-raised"
  >
    {query}
  </Link>
);
