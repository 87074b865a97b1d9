import { useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { Link } from 'react-router';
import type { Workspace } from '../../api/generated/api/index.ts';
import { workspaceOptions } from '../../api/queries.ts';
import { formatCount } from '../../lib/format.ts';
import { describeSearchIn, type SearchedIn } from '../../lib/search-in.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ExampleSearches } from './example-searches.tsx';

type Limits = {
  filtered: boolean;
  onClearFilters: () => void;
  /** What the search is limited to; empty where everything is searched. */
  searchedIn: readonly SearchedIn[];
  onSearchEverywhere: () => void;
};

/** Says why a search found nothing, and what to do about it. */
export function NoHits({
  unknownTerms,
  ...limits
}: Limits & {
  /** Words of the query that the embedder does not understand. */
  unknownTerms: string[];
}) {
  const { filtered, searchedIn } = limits;
  const { data: workspace, isPending } = useQuery(workspaceOptions);
  const { complete = 0, pending = 0, indexing = 0 } = workspace?.usage.by_status ?? {};
  const waiting = pending + indexing;
  // What is said depends on it, and would move.
  if (isPending) return null;
  if (workspace && complete === 0) return <NothingIndexed waiting={waiting} />;
  return (
    <Notice
      icon={SearchX}
      title="No results"
      action={
        <>
          <Widen {...limits} />
          {/* What they describe can be seen. */}
          {searchedIn.length === 0 || searchedIn.includes('visual') ? <ExampleSearches /> : null}
        </>
      }
    >
      <div className="space-y-2">
        {searchedIn.length > 0 ? (
          <>
            <p>
              Nothing matches in {describeSearchIn(searchedIn)}
              {filtered ? ', within these filters' : ''}.
            </p>
            {workspace ? <NotRead searchedIn={searchedIn} reading={workspace.text_extraction} /> : null}
          </>
        ) : unknownTerms.length > 0 ? (
          <UnknownTerms
            terms={unknownTerms}
            filtered={filtered}
            descriptors={workspace?.embedder.kind === 'descriptors'}
          />
        ) : (
          <p>
            {filtered
              ? 'No results match these filters.'
              : 'Nothing in this library matches. Try other words, or remove words with a minus sign.'}
          </p>
        )}
        {waiting > 0 ? <p>{countItems(waiting)} still being processed.</p> : null}
      </div>
    </Notice>
  );
}

/** What the places that were searched lack, because it is not read, or not yet. */
function NotRead({ searchedIn, reading }: { searchedIn: readonly SearchedIn[]; reading: Reading }) {
  return (['speech', 'ocr'] as const).map((source) => {
    const { state, pending } = reading[source];
    if (!searchedIn.includes(source)) return null;
    if (state === 'off') return <p key={source}>{notRead[source].off}</p>;
    return pending === 0 ? null : (
      <p key={source}>
        {notRead[source].pending} {pending === 1 ? 'one item' : `${formatCount(pending)} items`}.
      </p>
    );
  });
}

type Reading = Workspace['text_extraction'];

const notRead = {
  speech: {
    off: 'Speech recognition is switched off on this server.',
    pending: 'Speech is still to be recognised in',
  },
  ocr: {
    off: 'Reading of on-screen text is switched off on this server.',
    pending: 'On-screen text is still to be read in',
  },
};

/** The ways to more results. */
const Widen = ({ filtered, onClearFilters, searchedIn, onSearchEverywhere }: Limits) =>
  filtered || searchedIn.length > 0 ? (
    <div className="flex basis-full flex-wrap justify-center gap-2">
      {searchedIn.length > 0 ? (
        <Button variant="primary" onClick={onSearchEverywhere}>
          Search everywhere
        </Button>
      ) : null}
      {filtered ? (
        <Button variant={searchedIn.length > 0 ? 'secondary' : 'primary'} onClick={onClearFilters}>
          Clear filters
        </Button>
      ) : null}
    </div>
  ) : null;

function NothingIndexed({ waiting }: { waiting: number }) {
  return (
    <Notice
      icon={SearchX}
      title="Nothing to search yet"
      action={
        <Button asChild variant="primary">
          <Link to={paths.library}>Open the library</Link>
        </Button>
      }
    >
      {waiting > 0
        ? `${countItems(waiting)} still being processed.`
        : 'Nothing in this workspace has been indexed yet.'}
    </Notice>
  );
}

/** Says which words have no meaning for the embedder, and what else to try with the descriptors, which know few. */
function UnknownTerms({ terms, filtered, descriptors }: { terms: string[]; filtered: boolean; descriptors: boolean }) {
  const words = terms.map((term) => `“${term}”`).join(', ');
  return (
    <>
      <p>
        {descriptors
          ? `The model does not understand ${words}: it knows colours, light, texture and motion, not objects.`
          : `The model does not understand ${words}: it knows English words only.`}{' '}
        No speech, on-screen text, name or tag{filtered ? ' within these filters' : ''} contains{' '}
        {terms.length === 1 ? 'it' : 'them'} either.
      </p>
      {descriptors ? (
        <p>
          To find objects,{' '}
          <Link to={paths.workspace} className="underline hover:text-ink">
            use a model that knows them
          </Link>
          . Or describe how the moment looks:
        </p>
      ) : null}
    </>
  );
}

const countItems = (count: number): string => (count === 1 ? 'One item is' : `${formatCount(count)} items are`);
