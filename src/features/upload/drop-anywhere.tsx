import { FolderUp, Upload } from 'lucide-react';
import {
  createContext,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useDropzone } from 'react-dropzone';
import { lazyPart } from '../../api/parts.ts';
import { Button } from '../../ui/button.tsx';

type Choosers = { chooseFiles: () => void; chooseFolder: () => void };

const ChooserContext = createContext<Choosers>({ chooseFiles: () => undefined, chooseFolder: () => undefined });

/** What systems put into folders by themselves. */
const isHidden = ({ name }: File) => name.startsWith('.') || ['Thumbs.db', 'desktop.ini'].includes(name);

/** Loaded with the first files. */
const UploadSheet = lazyPart(async () => (await import('./upload-sheet.tsx')).UploadSheet);

/** Takes files dropped or pasted anywhere in the window. What they really are, the service finds out. */
export function DropAnywhere({ children }: { children: ReactNode }) {
  const [chosen, setChosen] = useState<readonly File[]>([]);
  /** What is chosen while the question is open comes along. */
  const ask = (files: readonly File[]) => setChosen((before) => [...before, ...files]);
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    onDrop: ask,
    noClick: true,
    noKeyboard: true,
  });
  const folderInput = useRef<HTMLInputElement>(null);
  const choosers = useMemo(() => ({ chooseFiles: open, chooseFolder: () => folderInput.current?.click() }), [open]);
  const askForPasted = useEffectEvent(ask);
  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => askForPasted([...(clipboardData?.files ?? [])]);
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);
  return (
    <div {...getRootProps()} className="min-h-dvh">
      <input {...getInputProps({ 'aria-label': 'Files to upload', style: { display: 'none' } })} />
      <input
        ref={(input) => {
          folderInput.current = input;
          // React does not know the attribute.
          input?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        multiple
        hidden
        aria-label="Folder to upload"
        onChange={({ currentTarget }) => {
          ask([...(currentTarget.files ?? [])].filter((file) => !isHidden(file)));
          // The same folder can be chosen again.
          currentTarget.value = '';
        }}
      />
      <ChooserContext value={choosers}>{children}</ChooserContext>
      {chosen.length > 0 ? (
        <Suspense>
          <UploadSheet files={chosen} onClose={() => setChosen([])} />
        </Suspense>
      ) : null}
      {isDragActive ? (
        <div className="fixed inset-0 z-50 grid place-items-center bg-canvas/85 p-5 backdrop-blur-sm">
          <div className="grid size-full place-content-center justify-items-center gap-3 rounded-2xl border-2 border-dashed border-accent text-center">
            <Upload className="size-9 text-accent" aria-hidden />
            <p className="text-lg font-semibold">Drop to upload</p>
            <p className="text-quiet">Videos and photos, also whole folders</p>
          </div>
        </div>
      ) : null}
    </div>
  );
}

/** Open the chooser for files, and that for a folder. */
export const useChoosers = (): Choosers => useContext(ChooserContext);

/** Buttons that do; on a narrow screen only the first. */
export function UploadButton({ compact = false }: { compact?: boolean }) {
  const { chooseFiles, chooseFolder } = useChoosers();
  return (
    <div className="flex">
      <Button variant="primary" onClick={chooseFiles} aria-label="Upload" className="sm:rounded-r-none">
        <Upload aria-hidden />
        <span className={compact ? 'hidden sm:inline' : ''}>Upload</span>
      </Button>
      <Button
        variant="primary"
        onClick={chooseFolder}
        aria-label="Upload a folder"
        title="Upload a folder"
        className="rounded-l-none border-l border-accent-ink/25 max-sm:hidden"
      >
        <FolderUp aria-hidden />
      </Button>
    </div>
  );
}
