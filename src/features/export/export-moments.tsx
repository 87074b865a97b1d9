import { Archive, Download } from 'lucide-react';
import type { ExportedMoment, ExportFormat } from '../../api/exports.ts';
import { useMachine } from '../../api/use-machine-path.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { ExportStatus } from './export-status.tsx';
import { useExport } from './use-export.ts';

const lists: { format: ExportFormat; text: string; title: string }[] = [
  { format: 'csv', text: 'CSV', title: 'A table for spreadsheets' },
  { format: 'edl', text: 'EDL', title: 'A cut list for Premiere Pro, Avid and others (CMX 3600)' },
  { format: 'fcpxml', text: 'FCPXML', title: 'A project for Final Cut Pro and DaVinci Resolve' },
];

/** Makes files of moments: their clips in an archive, or a cut list. */
export function ExportMoments({
  moments,
  title,
  withClips = true,
}: {
  moments: ExportedMoment[];
  /** Names the files. */
  title: string;
  /** Whether the clips themselves can be had. */
  withClips?: boolean;
}) {
  const { state, start, cancel } = useExport();
  const { machine, machines, choose } = useMachine();
  const isBusy = state.status === 'processing';
  const make = (format: ExportFormat) =>
    start({ format, moments, title, ...(format !== 'zip' && machine !== '' && { paths: machine }) });
  return (
    <div className="grid gap-3">
      {machines.length === 0 ? null : (
        <Select
          label="Paths in lists"
          value={machine}
          options={[
            { value: '', text: 'As on the server' },
            ...machines.map((value) => ({ value, text: `As on ${value}` })),
          ]}
          onChange={choose}
        />
      )}
      <div className="flex flex-wrap gap-2">
        {withClips ? (
          <Button variant="primary" className="max-sm:basis-full" disabled={isBusy} onClick={() => make('zip')}>
            <Archive aria-hidden />
            Download clips
          </Button>
        ) : null}
        {lists.map(({ format, text, title: about }) => (
          <Button key={format} disabled={isBusy} title={about} onClick={() => make(format)}>
            {withClips ? null : <Download aria-hidden />}
            {text}
          </Button>
        ))}
      </div>
      {state.status === 'idle' ? null : <ExportStatus state={state} onCancel={cancel} />}
    </div>
  );
}
