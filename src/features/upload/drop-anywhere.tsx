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
import { lazyPart, loadPart } from '../../api/parts.ts';
import { Button } from '../../ui/button.tsx';
import { publishedInterrupted } from './upload-store.ts';

type Choosers = { chooseFiles: () => void; chooseFolder: () => void; addByAddress: () => void };

const ChooserContext = createContext<Choosers>({
  chooseFiles: () => undefined,
  chooseFolder: () => undefined,
  addByAddress: () => undefined,
});

/** What was pasted, where it is the address of something and not meant for a field. */
function pastedAddress({ target, clipboardData }: ClipboardEvent): string | null {
  if (target instanceof HTMLElement && target.closest('input, textarea, [contenteditable]')) return null;
  const text = clipboardData?.getData('text/plain').trim() ?? '';
  return /^https?:\/\/\S+$/i.test(text) ? text : null;
}

/** What systems put into folders by themselves. */
const isHidden = ({ name }: File) => name.startsWith('.') || ['Thumbs.db', 'desktop.ini'].includes(name);

/** Goes on with files of an earlier visit. Returns the others. */
async function continueInterrupted(files: readonly File[]): Promise<readonly File[]> {
  try {
    const { continueChosen } = await loadPart(() => import('./interrupted.ts'));
    return await continueChosen(files);
  } catch {
    // The service is away: then they are files like any other.
    return files;
  }
}

const AddByAddress = lazyPart(async () => (await import('./add-by-address.tsx')).AddByAddress);

/** Loaded with the first files. */
const UploadSheet = lazyPart(async () => (await import('./upload-sheet.tsx')).UploadSheet);

/** Takes what is pasted anywhere but into a field: files, or the address of one. */
function usePasted(takeFiles: (files: readonly File[]) => void, takeAddress: (address: string) => void): void {
  const take = useEffectEvent((event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    takeFiles(files);
    const address = files.length > 0 ? null : pastedAddress(event);
    if (address !== null) takeAddress(address);
  });
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => take(event);
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);
}

/** Takes files dropped or pasted anywhere in the window, and addresses of files. What they really are, the service finds out. */
export function DropAnywhere({ children }: { children: ReactNode }) {
  const [chosen, setChosen] = useState<readonly File[]>([]);
  /** The address of a file that the service is to download; null: none is asked for. */
  const [address, setAddress] = useState<string | null>(null);
  /** What is chosen while the question is open comes along. What was asked before, and then interrupted, goes on. */
  const ask = async (files: readonly File[]) => {
    const others = publishedInterrupted.get().length > 0 ? await continueInterrupted(files) : files;
    if (others.length > 0) setChosen((before) => [...before, ...others]);
  };
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    onDrop: (files) => void ask(files),
    noClick: true,
    noKeyboard: true,
  });
  const folderInput = useRef<HTMLInputElement>(null);
  const choosers = useMemo(
    () => ({
      chooseFiles: open,
      chooseFolder: () => folderInput.current?.click(),
      addByAddress: () => setAddress(''),
    }),
    [open],
  );
  usePasted((files) => void ask(files), setAddress);
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
          void ask([...(currentTarget.files ?? [])].filter((file) => !isHidden(file)));
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
      {address === null ? null : (
        <Suspense>
          <AddByAddress key={address} address={address} onClose={() => setAddress(null)} />
        </Suspense>
      )}
      {isDragActive ? <DropTarget /> : null}
    </div>
  );
}

const DropTarget = () => (
  <div className="fixed inset-0 z-50 grid place-items-center bg-canvas/85 p-5 backdrop-blur-sm">
    <div className="grid size-full place-content-center justify-items-center gap-3 rounded-2xl border-2 border-dashed border-accent text-center">
      <Upload className="size-9 text-accent" aria-hidden />
      <p className="text-lg font-semibold">Drop to upload</p>
      <p className="text-quiet">Videos and photos, also whole folders</p>
    </div>
  </div>
);

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
