import { Upload } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { useDropzone } from 'react-dropzone';
import { Button } from '../../ui/button.tsx';
import { addUploads } from './upload-store.ts';

const ChooseFiles = createContext<() => void>(() => undefined);

/** Takes files dropped or pasted anywhere in the window. What they really are, the service finds out. */
export function DropAnywhere({ children }: { children: ReactNode }) {
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    onDrop: (files) => addUploads(files),
    noClick: true,
    noKeyboard: true,
  });
  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => addUploads([...(clipboardData?.files ?? [])]);
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);
  return (
    <div {...getRootProps()} className="min-h-dvh">
      <input {...getInputProps({ 'aria-label': 'Files to upload', style: { display: 'none' } })} />
      <ChooseFiles value={open}>{children}</ChooseFiles>
      {isDragActive ? (
        <div className="fixed inset-0 z-50 grid place-items-center bg-canvas/85 p-5 backdrop-blur-sm">
          <div className="grid size-full place-content-center justify-items-center gap-3 rounded-2xl border-2 border-dashed border-accent text-center">
            <Upload className="size-9 text-accent" aria-hidden />
            <p className="text-lg font-semibold">Drop to upload</p>
            <p className="text-quiet">Videos and photos, as many as you like</p>
          </div>
        </div>
      ) : null}
    </div>
  );
}

/** Opens the file chooser. */
export const useChooseFiles = (): (() => void) => useContext(ChooseFiles);

/** A button that does. */
export function UploadButton({
  look = 'primary',
  compact = false,
}: {
  look?: 'primary' | 'secondary';
  compact?: boolean;
}) {
  const open = useContext(ChooseFiles);
  return (
    <Button look={look} onClick={open} aria-label="Upload">
      <Upload aria-hidden />
      <span className={compact ? 'hidden sm:inline' : ''}>Upload</span>
    </Button>
  );
}
