import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { sourcesOptions } from '../../api/sources.ts';
import { formatBytes, formatCount } from '../../lib/format.ts';
import { paths } from '../../paths.ts';

/** The bytes that are indexed in place, beside those that are stored; nothing where there are no sources. */
export function ReferencedBytes() {
  const { data: sources = [] } = useQuery(sourcesOptions);
  if (sources.length === 0) return null;
  const [bytes, files] = (['bytes', 'total'] as const).map((key) =>
    sources.reduce((sum, source) => sum + source.files[key], 0),
  );
  return (
    <dl className="mt-5 border-t border-line pt-4">
      <dt className="font-medium">Referenced in place</dt>
      <dd className="mt-1.5">
        <span className="text-lg font-semibold tabular-nums">{formatBytes(bytes ?? 0)}</span>
        <span className="ml-2 text-xs text-quiet tabular-nums">
          {formatCount(files ?? 0)} {files === 1 ? 'file' : 'files'} in{' '}
          <Link to={paths.settings('sources')} className="underline underline-offset-2 hover:text-ink">
            {formatCount(sources.length)} {sources.length === 1 ? 'source' : 'sources'}
          </Link>
        </span>
        <p className="mt-1 text-xs leading-relaxed text-quiet">
          These files stay where they are. Their bytes count for no storage; their items and their length of video count
          as all others do.
        </p>
      </dd>
    </dl>
  );
}
