import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';
import { ClosableDialog } from '../../ui/closable-dialog.tsx';
import { ExportMoments } from './export-moments.tsx';

/** The hits that are shown as a table or a cut list. */
export const ExportHitsDialog = ({
  hits,
  title,
  onClose,
}: {
  hits: SearchHit[];
  title: string;
  onClose: () => void;
}) => (
  <ClosableDialog
    title="Export results"
    description={`${formatCount(hits.length)} ${hits.length === 1 ? 'result' : 'results'}: as a table (CSV), or as a cut list that an editing program opens with your original files. Photos are in the table only.`}
    onClose={onClose}
  >
    <div className="mt-4">
      <ExportMoments
        moments={hits.map(({ id, type, start, end, score }) => ({
          media_id: id,
          ...(type !== 'image' ? { start, end } : {}),
          score,
        }))}
        title={title.slice(0, 100)}
        withClips={false}
      />
    </div>
  </ClosableDialog>
);
