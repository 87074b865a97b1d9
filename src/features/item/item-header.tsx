import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { libraryAddress } from '../../lib/library-place.ts';
import { Button } from '../../ui/button.tsx';

/** The way back, the name of the item, and what can be done with it. */
export const ItemHeader = ({
  item,
  children,
}: {
  item: MediaItem;
  /** Its actions. */
  children: ReactNode;
}) => (
  <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
    <div className="flex min-w-0 basis-full items-center gap-3 md:flex-1">
      <Button asChild variant="quiet" size="icon">
        <Link to={libraryAddress()} aria-label="Back to the library">
          <ArrowLeft aria-hidden />
        </Link>
      </Button>
      <h1 className="min-w-0 text-lg font-semibold wrap-anywhere md:truncate" title={item.filename}>
        {item.filename}
      </h1>
    </div>
    {children}
  </div>
);
