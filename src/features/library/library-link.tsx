import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';

/** The way out of a page that has nothing to show. */
export function LibraryLink() {
  return (
    <Button asChild variant="primary">
      <Link to={paths.library}>Go to the library</Link>
    </Button>
  );
}
