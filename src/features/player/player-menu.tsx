import { Check, Clock, EllipsisVertical, Link, ListVideo, PictureInPicture2, Repeat, ScanSearch } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { formatTimecode, toMoment } from '../../lib/timecode.ts';
import { IconButton } from '../../ui/button.tsx';
import { menuLooks } from '../../ui/menu-item.ts';
import { toast } from '../../ui/toast.ts';
import { togglePictureInPicture } from './picture-in-picture.ts';
import type { Captions } from './use-captions.ts';
import type { ClipState } from './use-clip.ts';

/** Speeds of the menu. */
const speeds = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];

/** What can be done with the moment that is shown. */
export type MomentActions = {
  /** False of a recording. */
  hasPictures: boolean;
  /** Frames a second, where known. */
  frameRate: number | undefined;
  /** The path of a page that begins at a moment, seconds. */
  linkTo: (time: number) => string;
  onFindSimilar: ((time: number) => void) | undefined;
};

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(`${what} copied`, { duration: 2000 });
  } catch {
    toast.error('The browser did not allow copying.');
  }
}

/** Speed, the language of the captions, what is done with the moment, and what a narrow screen has no buttons for. */
export const PlayerMenu = ({
  state,
  captions,
  hasNext,
  moment,
}: {
  state: ClipState;
  captions: Captions;
  /** Whether the clip is one of a list. */
  hasNext: boolean;
  moment: MomentActions;
}) => (
  <DropdownMenu.Root modal={false}>
    <DropdownMenu.Trigger asChild>
      <IconButton icon={EllipsisVertical} label="Playback options" className="max-sm:size-11 pointer-coarse:size-11" />
    </DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content align="end" side="top" sideOffset={8} className={menuLooks.menu}>
        <MomentItems moment={moment} state={state} />
        {document.pictureInPictureEnabled && moment.hasPictures ? (
          <Item icon={PictureInPicture2} onSelect={() => togglePictureInPicture(state.video.current)}>
            Picture in picture
          </Item>
        ) : null}
        <ChoiceItem icon={Repeat} checked={state.atEnd === 'loop'} onSelect={() => state.chooseAtEnd('loop')}>
          Loop
        </ChoiceItem>
        {hasNext ? (
          <ChoiceItem icon={ListVideo} checked={state.atEnd === 'next'} onSelect={() => state.chooseAtEnd('next')}>
            Autoplay next
          </ChoiceItem>
        ) : null}
        {captions.shown && captions.names.length > 1 ? (
          <Choices
            label="Captions in"
            value={String(captions.place)}
            options={captions.names.map((text, i) => ({ value: String(i), text }))}
            onChoose={(value) => captions.choose(Number(value))}
          />
        ) : null}
        <Speeds speed={state.speed} onChoose={state.setSpeed} />
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

const MomentItems = ({
  moment: { frameRate, linkTo, onFindSimilar },
  state: { time },
}: {
  moment: MomentActions;
  state: ClipState;
}) => (
  <>
    {onFindSimilar ? (
      <Item icon={ScanSearch} onSelect={() => onFindSimilar(time)}>
        Find similar to this moment
      </Item>
    ) : null}
    <Item icon={Link} onSelect={() => void copy(window.location.origin + linkTo(toMoment(time)), 'Link')}>
      Copy link to this moment
    </Item>
    <Item icon={Clock} onSelect={() => void copy(formatTimecode(time, frameRate), 'Timecode')}>
      Copy timecode
    </Item>
    <DropdownMenu.Separator className={menuLooks.separator} />
  </>
);

const Item = ({ icon: Icon, onSelect, children }: { icon: typeof Link; onSelect: () => void; children: ReactNode }) => (
  <DropdownMenu.Item className={menuLooks.item} onSelect={onSelect}>
    <Icon aria-hidden />
    {children}
  </DropdownMenu.Item>
);

const ChoiceItem = ({
  icon: Icon,
  checked,
  onSelect,
  children,
}: {
  icon: typeof Link;
  checked: boolean;
  onSelect: () => void;
  children: ReactNode;
}) => (
  <DropdownMenu.CheckboxItem className={menuLooks.item} checked={checked} onSelect={onSelect}>
    <Icon aria-hidden />
    {children}
    <DropdownMenu.ItemIndicator className="ml-auto">
      <Check aria-hidden />
    </DropdownMenu.ItemIndicator>
  </DropdownMenu.CheckboxItem>
);

const Choices = ({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: { value: string; text: string }[];
  onChoose: (value: string) => void;
}) => (
  <DropdownMenu.RadioGroup aria-label={label} value={value} onValueChange={onChoose}>
    <DropdownMenu.Label className={menuLooks.label}>{label}</DropdownMenu.Label>
    {options.map((option) => (
      <DropdownMenu.RadioItem key={option.value} value={option.value} className={menuLooks.item}>
        {option.text}
        <DropdownMenu.ItemIndicator className="ml-auto">
          <Check aria-hidden />
        </DropdownMenu.ItemIndicator>
      </DropdownMenu.RadioItem>
    ))}
  </DropdownMenu.RadioGroup>
);

/** In rows: a list of them would be as high as the screen. */
const Speeds = ({ speed, onChoose }: { speed: number; onChoose: (speed: number) => void }) => (
  <DropdownMenu.RadioGroup aria-label="Speed" value={String(speed)} onValueChange={(value) => onChoose(Number(value))}>
    <DropdownMenu.Label className={menuLooks.label}>Speed</DropdownMenu.Label>
    <div className="grid grid-cols-4 gap-1 px-1 pb-1">
      {speeds.map((value) => (
        <DropdownMenu.RadioItem key={value} value={String(value)} className={menuLooks.choice}>
          {value}×
        </DropdownMenu.RadioItem>
      ))}
    </div>
  </DropdownMenu.RadioGroup>
);
