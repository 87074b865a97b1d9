import { useQueryClient } from '@tanstack/react-query';
import { FileX } from 'lucide-react';
import { usePersonKey } from '../../api/workspace-key.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { beginUploads } from './begin-uploads.ts';
import { publishedSkipped } from './upload-store.ts';
import { noLabels } from './upload.ts';

/** Names that are shown of many files. */
const maxNames = 3;

/** Files that look like no media. A browser may be wrong, so they can be sent all the same. */
export function SkippedFiles({ files }: { files: readonly File[] }) {
  const client = useQueryClient();
  const person = usePersonKey();
  if (files.length === 0) return null;
  const names = files.slice(0, maxNames).map(({ name }) => name);
  const more = files.length - names.length;
  const forget = () => publishedSkipped.set([]);
  return (
    <div role="status" className="flex gap-2.5 border-t border-line bg-warm-soft px-4 py-2.5 text-label">
      <FileX className="mt-0.5 size-4 shrink-0 text-warm" aria-hidden />
      <div className="min-w-0">
        <p className="font-medium">
          {files.length === 1
            ? '1 file is no video, photo or audio'
            : `${formatCount(files.length)} files are no videos, photos or audio`}
        </p>
        <p className="line-clamp-2 wrap-anywhere text-quiet">
          {names.join(', ')}
          {more > 0 ? ` and ${formatCount(more)} more` : ''}
        </p>
        <div className="mt-1 -ml-2.5 flex">
          <Button variant="quiet" size="small" onClick={forget}>
            Dismiss
          </Button>
          <Button
            variant="quiet"
            size="small"
            onClick={() => {
              forget();
              void beginUploads(client, files, { labels: noLabels, person, anyway: true });
            }}
          >
            Upload anyway
          </Button>
        </div>
      </div>
    </div>
  );
}
