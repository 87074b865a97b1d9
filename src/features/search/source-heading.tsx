import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { mediaItemOptions, type SearchSource } from '../../api/queries.ts';
import { formatTime } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { PageTitle } from '../../ui/page-title.tsx';

/** Says what is searched by, with the image where it is one. */
export function SourceHeading({ source }: { source: SearchSource }) {
  if ('words' in source) {
    return (
      <>
        <PageTitle>{`Search: ${source.words}`}</PageTitle>
        <h1 className="min-w-0 truncate text-xl font-semibold">{source.words}</h1>
      </>
    );
  }
  if ('file' in source) {
    const name = source.file.name || 'this image';
    return (
      <div className="flex min-w-0 items-center gap-3">
        <PageTitle>{`Similar to ${name}`}</PageTitle>
        <Image src={source.url} />
        <h1 className="min-w-0 truncate text-xl font-semibold">Similar to {name}</h1>
      </div>
    );
  }
  return <MediaHeading source={source} />;
}

const Image = ({ src }: { src: string }) => (
  <img src={src} alt="" className="h-12 w-20 shrink-0 rounded-control border border-line bg-raised object-cover" />
);

function MediaHeading({ source }: { source: Extract<SearchSource, { media: string }> }) {
  const item = useQuery(mediaItemOptions(source.media)).data;
  return (
    <div className="flex min-w-0 items-center gap-3">
      <PageTitle>{`Similar to ${item?.filename ?? '…'}`}</PageTitle>
      {item?.thumbnail ? <Image src={item.thumbnail} /> : null}
      <h1 className="min-w-0 truncate text-xl font-semibold">
        Similar to{' '}
        <Link to={paths.media(source.media, source.at === undefined ? {} : { t: source.at })}>
          {item?.filename ?? '…'}
        </Link>
        {source.at === undefined ? null : (
          <span className="font-normal text-quiet tabular-nums"> at {formatTime(source.at, true)}</span>
        )}
      </h1>
    </div>
  );
}
