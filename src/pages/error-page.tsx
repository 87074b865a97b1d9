import { Compass, TriangleAlert } from 'lucide-react';
import { useRouteError } from 'react-router';
import { LibraryLink } from '../features/library/library-link.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** What is shown instead of a page that broke. */
export function ErrorPage() {
  const error = useRouteError();
  return (
    <Notice
      page
      icon={TriangleAlert}
      title="This page broke"
      action={
        <Button variant="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      {error instanceof Error ? error.message : 'Something unexpected happened.'}
    </Notice>
  );
}

export function NotFoundPage() {
  return (
    <Notice page icon={Compass} title="Page not found" action={<LibraryLink />}>
      The address may be wrong, or the page no longer exists.
    </Notice>
  );
}
