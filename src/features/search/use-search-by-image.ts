import { useNavigate } from 'react-router';
import { loadPart } from '../../api/parts.ts';
import { isVideo } from '../../lib/is-video.ts';
import { paths } from '../../paths.ts';

/** Returns what searches by an image, or finds where a video is used: the browser keeps it, and the address names it. */
export function useSearchByImage(): (image: File) => void {
  const navigate = useNavigate();
  return (image) =>
    void loadPart(() => import('./query-images.ts')).then(
      ({ keepQueryImage }) => {
        const name = keepQueryImage(image);
        return navigate(isVideo(image) ? paths.searchByVideo(name) : paths.searchByImage(name));
      },
      // The page says that the service does not answer.
      () => undefined,
    );
}
