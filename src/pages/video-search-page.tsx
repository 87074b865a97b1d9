import { useQuery } from '@tanstack/react-query';
import { FileX } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { VideoResults } from '../features/copies/video-results.tsx';
import { findQueryImage, restoreQueryImage } from '../features/search/query-images.ts';
import { Notice } from '../ui/notice.tsx';
import { PanelSkeleton } from '../ui/panel.tsx';

/** Where a video is used that was chosen or dropped. The address names it; the browser keeps it. */
export function VideoSearchPage() {
  const [search] = useSearchParams();
  const name = search.get('file') ?? '';
  const chosen = findQueryImage(name);
  const kept = { queryKey: ['query image', name], queryFn: () => restoreQueryImage(name), retry: false };
  const restored = useQuery({ ...kept, enabled: !chosen });
  const video = chosen ?? restored.data;
  if (video) return <VideoResults key={name} file={video.file} name={name} />;
  if (restored.isPending) return <PanelSkeleton />;
  return (
    <Notice page icon={FileX} title="The video is no longer available">
      This browser keeps the last ten files that were searched by. Choose or drop it again.
    </Notice>
  );
}
