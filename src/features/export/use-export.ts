import { useEffect, useRef, useState } from 'react';
import { type Export, type ExportRequest, runExport, saveFile } from '../../api/exports.ts';

export type ExportState =
  | { status: 'idle' }
  /** `fraction`: 0..1. */
  | { status: 'processing'; fraction: number }
  | { status: 'done'; made: Export }
  | { status: 'failed'; message: string };

/** An export with its progress. The file is saved as soon as it is there; leaving the page cancels it. */
export function useExport(): { state: ExportState; start: (body: ExportRequest) => void; cancel: () => void } {
  const [state, setState] = useState<ExportState>({ status: 'idle' });
  const running = useRef<AbortController>(undefined);
  const cancel = () => {
    running.current?.abort(new DOMException('Cancelled.', 'AbortError'));
    running.current = undefined;
    setState({ status: 'idle' });
  };
  useEffect(() => () => running.current?.abort(new DOMException('Left.', 'AbortError')), []);
  const start = (body: ExportRequest) => {
    running.current?.abort(new DOMException('Replaced.', 'AbortError'));
    const aborting = new AbortController();
    running.current = aborting;
    const { signal } = aborting;
    const set = (next: ExportState) => {
      if (!signal.aborted) setState(next);
    };
    set({ status: 'processing', fraction: 0 });
    void runAndSave(body, signal, set);
  };
  return { state, start, cancel };
}

/** Never throws. */
async function runAndSave(
  body: ExportRequest,
  signal: AbortSignal,
  onChange: (state: ExportState) => void,
): Promise<void> {
  try {
    const made = await runExport(body, signal, (fraction) => onChange({ status: 'processing', fraction }));
    saveFile(made);
    onChange({ status: 'done', made });
  } catch (error) {
    onChange({ status: 'failed', message: error instanceof Error ? error.message : 'The export failed.' });
  }
}
