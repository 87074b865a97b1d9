import { clsx } from 'clsx';
import { type LucideIcon, ScanSearch, Upload } from 'lucide-react';
import { useDropzone } from 'react-dropzone';

/** Covers the page while files are dragged over it: what is dropped is uploaded, or searched by. */
export function DropTarget({
  onEnd,
  onUpload,
  onSearch,
}: {
  onEnd: () => void;
  onUpload: (files: readonly File[]) => void;
  onSearch: (file: File) => void;
}) {
  return (
    <div
      // Between the zones nothing is taken.
      onDrop={({ target, currentTarget }) => target === currentTarget && onEnd()}
      className="fixed inset-0 z-50 grid grid-rows-[1fr_3fr] gap-4 bg-canvas/90 p-5 backdrop-blur-sm"
    >
      <Zone
        icon={ScanSearch}
        title="Drop to search by it"
        text="An image finds moments that look alike, a video where it is used"
        onFiles={(files) => {
          onEnd();
          const file = files.find(({ type }) => /^(image|video)\//.test(type));
          if (file) onSearch(file);
        }}
      />
      <Zone
        icon={Upload}
        title="Drop to upload"
        text="Videos, photos and audio, also whole folders"
        onFiles={(files) => {
          onEnd();
          onUpload(files);
        }}
      />
    </div>
  );
}

function Zone({
  icon: Icon,
  title,
  text,
  onFiles,
}: {
  icon: LucideIcon;
  title: string;
  text: string;
  onFiles: (files: readonly File[]) => void;
}) {
  const { getRootProps, isDragActive } = useDropzone({ onDrop: onFiles, noClick: true, noKeyboard: true });
  return (
    <div
      {...getRootProps()}
      className={clsx(
        'grid place-content-center justify-items-center gap-2 rounded-2xl border-2 border-dashed text-center transition-colors duration-quick',
        isDragActive ? 'border-accent bg-accent-soft' : 'border-line',
      )}
    >
      <Icon className="size-8 text-accent" aria-hidden />
      <p className="text-lg font-semibold">{title}</p>
      <p className="text-quiet">{text}</p>
    </div>
  );
}
