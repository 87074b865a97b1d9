import { useStage } from '../../lib/stage.ts';

/** What lies before and behind in the list, outside of the window, from where a swipe draws it in. */
export function Beside() {
  const { beside } = useStage();
  return (
    <>
      <Side picture={beside.previous} className="-translate-x-full" />
      <Side picture={beside.next} className="translate-x-full" />
    </>
  );
}

const Side = ({ picture, className }: { picture: string | null; className: string }) =>
  picture === null ? null : (
    <img
      src={picture}
      alt=""
      draggable={false}
      className={`pointer-events-none absolute inset-0 size-full object-contain ${className}`}
    />
  );
