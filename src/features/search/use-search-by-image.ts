import { useNavigate } from 'react-router';
import { loadPart } from '../../api/parts.ts';
import { paths } from '../../paths.ts';

/** Returns what searches by an image: the browser keeps it, and the address names it. */
export function useSearchByImage(): (image: File) => void {
  const navigate = useNavigate();
  return (image) =>
    void loadPart(() => import('./query-images.ts')).then(
      ({ keepQueryImage }) => navigate(paths.searchByImage(keepQueryImage(image))),
      // The page says that the service does not answer.
      () => undefined,
    );
}
