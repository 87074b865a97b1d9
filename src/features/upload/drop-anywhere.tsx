import { useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { ChevronDown, Upload } from 'lucide-react';
import {
  type ChangeEvent,
  createContext,
  type ReactNode,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useMatch, useSearchParams } from 'react-router';
import { lazyPart, loadPart, loadUntilThere } from '../../api/parts.ts';
import { usePersonKey } from '../../api/workspace-key.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { publishedInterrupted } from './upload-store.ts';
import { noLabels } from './upload.ts';

type Choosers = { chooseFiles: () => void; chooseFolder: () => void; openCamera: () => void; addByAddress: () => void };

const ChooserContext = createContext<Choosers>({
  chooseFiles: () => undefined,
  chooseFolder: () => undefined,
  openCamera: () => undefined,
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

/** Loaded with the first files that are dragged over the window. */
const DropTarget = lazyPart(async () => (await import('./drop-target.tsx')).DropTarget);

/** Loaded where the service worker opened the page with `?shared`. */
const SharedOffer = lazyPart(async () => (await import('./shared-offer.tsx')).SharedOffer);

const AddByAddress = lazyPart(async () => (await import('./add-by-address.tsx')).AddByAddress);

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

/** Goes on with what was interrupted, and sends the other files at once, into the collection that is shown. */
function useUpload(): (files: readonly File[]) => Promise<void> {
  const client = useQueryClient();
  const person = usePersonKey();
  const collection = useMatch(paths.collection(':id'))?.params.id ?? '';
  return async (files) => {
    if (files.length === 0) return;
    const others = publishedInterrupted.get().length > 0 ? await continueInterrupted(files) : files;
    if (others.length === 0) return;
    const { beginUploads } = await loadUntilThere(() => import('./begin-uploads.ts'));
    await beginUploads(client, others, { labels: { ...noLabels, collection_id: collection }, person });
  };
}

/** What files are chosen with: the chooser for files, that for a folder, and the camera of a phone. */
function FileInputs({
  files,
  folder,
  camera,
  onFiles,
}: {
  files: RefObject<HTMLInputElement | null>;
  folder: RefObject<HTMLInputElement | null>;
  camera: RefObject<HTMLInputElement | null>;
  onFiles: (files: readonly File[]) => void;
}) {
  const take = ({ currentTarget: input }: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(input.files ?? [])].filter((file) => !isHidden(file)));
    // The same files can be chosen again.
    input.value = '';
  };
  return (
    <>
      <input ref={files} type="file" multiple hidden aria-label="Files to upload" onChange={take} />
      <input
        ref={folder}
        // React does not know the attribute.
        {...{ webkitdirectory: '' }}
        type="file"
        multiple
        hidden
        aria-label="Folder to upload"
        onChange={take}
      />
      <input
        ref={camera}
        type="file"
        accept="image/*,video/*"
        capture="environment"
        hidden
        aria-label="Picture of the camera"
        onChange={take}
      />
    </>
  );
}

/** Takes files dropped or pasted anywhere in the window, and addresses of files. What they really are, the service finds out. */
export function DropAnywhere({
  onSearchByImage,
  children,
}: {
  /** Takes an image that is dropped to search by it. */
  onSearchByImage: (image: File) => void;
  children: ReactNode;
}) {
  const upload = useUpload();
  /** The address of a file that the service is to download; null: none is asked for. */
  const [address, setAddress] = useState<string | null>(null);
  const [isOver, setOver] = useFilesOver();
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const cameraInput = useRef<HTMLInputElement>(null);
  const choosers = useMemo(
    () => ({
      chooseFiles: () => fileInput.current?.click(),
      chooseFolder: () => folderInput.current?.click(),
      openCamera: () => cameraInput.current?.click(),
      addByAddress: () => setAddress(''),
    }),
    [],
  );
  usePasted((files) => void upload(files), setAddress);
  const [search, setSearch] = useSearchParams();
  return (
    <>
      <FileInputs files={fileInput} folder={folderInput} camera={cameraInput} onFiles={(files) => void upload(files)} />
      <ChooserContext value={choosers}>{children}</ChooserContext>
      {search.has('shared') ? (
        <Suspense>
          <SharedOffer
            onFiles={(files) => void upload(files)}
            onAddress={setAddress}
            onEnd={() => setSearch({}, { replace: true })}
          />
        </Suspense>
      ) : null}
      {address === null ? null : (
        <Suspense>
          <AddByAddress key={address} address={address} onClose={() => setAddress(null)} />
        </Suspense>
      )}
      {isOver ? (
        <Suspense>
          <DropTarget
            onEnd={() => setOver(false)}
            onUpload={(files) => void upload(files)}
            onSearch={onSearchByImage}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** Whether files are dragged over the window, from outside. */
function useFilesOver(): [boolean, (over: boolean) => void] {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const onEnter = ({ dataTransfer }: DragEvent) => {
      if (dataTransfer?.types.includes('Files')) setOver(true);
    };
    const onLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    // A file that is dropped beside what takes it would be opened by the browser.
    const keepPage = (event: DragEvent) => event.preventDefault();
    window.addEventListener('dragenter', onEnter);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('dragover', keepPage);
    window.addEventListener('drop', keepPage);
    return () => {
      window.removeEventListener('dragenter', onEnter);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('dragover', keepPage);
      window.removeEventListener('drop', keepPage);
    };
  }, []);
  return [over, setOver];
}

/** Open what files are chosen with. */
export const useChoosers = (): Choosers => useContext(ChooserContext);

/** Loaded when it is opened. */
const UploadMenu = lazyPart(async () => (await import('./upload-menu.tsx')).UploadMenu);

/**
 * Chooses files, and opens the menu of the other ways: a folder, the camera, an address. On a phone its one button opens the menu.
 * @param named whether that button has its word beside its picture
 */
export function UploadButton({ named = false }: { named?: boolean }) {
  const { chooseFiles } = useChoosers();
  const [open, setOpen] = useState(false);
  const more = (
    <Button
      variant="primary"
      size="icon"
      aria-label="More ways to upload"
      aria-haspopup="menu"
      aria-expanded={open}
      onClick={() => setOpen(true)}
      className={clsx(
        'sm:w-8 sm:rounded-l-none sm:border-l sm:border-accent-ink/25',
        named && 'max-sm:w-auto max-sm:px-4 max-sm:pointer-coarse:w-auto',
      )}
    >
      <ChevronDown className="max-sm:hidden" aria-hidden />
      <Upload className="sm:hidden" aria-hidden />
      {named ? <span className="sm:hidden">Upload</span> : null}
    </Button>
  );
  return (
    <div className="flex">
      <Button variant="primary" onClick={chooseFiles} className="rounded-r-none max-sm:hidden">
        <Upload aria-hidden />
        Upload
      </Button>
      {open ? (
        <Suspense fallback={more}>
          <UploadMenu onClose={() => setOpen(false)}>{more}</UploadMenu>
        </Suspense>
      ) : (
        more
      )}
    </div>
  );
}
