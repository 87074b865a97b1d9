import { clsx } from 'clsx';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode, Ref } from 'react';
import { Button, IconButton } from './button.tsx';
import { menuLooks } from './menu-item.ts';

/** What can be done with what the viewer shows. */
export type ViewerAction = {
  label: string;
  icon: LucideIcon;
  /** The key that does the same. */
  keys?: string;
  /** A file that is downloaded; otherwise `onSelect` acts. */
  href?: string;
  onSelect?: () => void;
  /** Whether it has a button in the bar: always, or where the screen is wide enough; what has none is in the menu. */
  bar?: 'always' | 'wide';
  /** Of a button that switches something on. */
  pressed?: boolean;
  disabled?: boolean;
};

/** A finger meets what is at least 44 px wide. */
export const touchSize = 'max-sm:size-11 pointer-coarse:size-11';

/**
 * The bar over a picture, in one row on any screen: the way back, the name, which gives way first, and the actions; those without room are in
 * the menu.
 */
export const ViewerBar = ({
  back,
  title,
  place,
  actions,
  menu,
  menuButton,
  children,
}: {
  back: ReactNode;
  title: ReactNode;
  /** Where it stands in its list, such as `3 of 12`. */
  place?: string | undefined;
  actions: readonly ViewerAction[];
  /** More entries of the menu. */
  menu?: ReactNode;
  menuButton?: Ref<HTMLButtonElement>;
  /** Stands before the actions. */
  children?: ReactNode;
}) => (
  <header className="flex h-14 items-center gap-0.5 px-1.5 sm:gap-1 sm:px-3">
    {back}
    <div className="min-w-0 flex-1 px-1">{title}</div>
    {place === undefined ? null : (
      <span className="shrink-0 px-1.5 text-label whitespace-nowrap text-quiet tabular-nums max-sm:sr-only">
        {place}
      </span>
    )}
    {children}
    {actions.map((action) =>
      action.bar ? <BarButton key={action.label} action={action} isWide={action.bar === 'wide'} /> : null,
    )}
    <Menu actions={actions} button={menuButton}>
      {menu}
    </Menu>
  </header>
);

function BarButton({ action, isWide }: { action: ViewerAction; isWide: boolean }) {
  const { icon: Icon, label, keys, href, pressed, disabled } = action;
  const look = {
    variant: pressed ? 'pressed' : 'quiet',
    size: 'icon',
    'aria-label': label,
    title: keys === undefined ? label : `${label} (${keys})`,
    className: clsx('pointer-coarse:size-11', isWide ? 'max-sm:hidden' : 'max-sm:size-11'),
  } as const;
  if (href !== undefined) {
    return (
      <Button {...look} asChild>
        <a href={href} download>
          <Icon aria-hidden />
        </a>
      </Button>
    );
  }
  return (
    <Button
      {...look}
      disabled={disabled}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      onClick={() => action.onSelect?.()}
    >
      <Icon aria-hidden />
    </Button>
  );
}

/** What has no button in the bar. */
const Menu = ({
  actions,
  button,
  children,
}: {
  actions: readonly ViewerAction[];
  button: Ref<HTMLButtonElement> | undefined;
  children: ReactNode;
}) => (
  <DropdownMenu.Root modal={false}>
    <DropdownMenu.Trigger asChild>
      <IconButton ref={button} icon={Ellipsis} label="More" className={touchSize} />
    </DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content align="end" sideOffset={6} className={clsx('dark', menuLooks.menu)}>
        {actions
          .filter(({ bar }) => bar !== 'always')
          .map((action) => (
            <Entry key={action.label} action={action} />
          ))}
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

function Entry({
  action: { icon: Icon, label, keys, href, onSelect, bar, disabled = false },
}: {
  action: ViewerAction;
}) {
  const content = (
    <>
      <Icon aria-hidden />
      {label}
      {keys === undefined ? null : (
        <kbd className="ml-auto pl-4 font-sans text-xs text-quiet pointer-coarse:hidden">{keys}</kbd>
      )}
    </>
  );
  const className = clsx(menuLooks.item, bar === 'wide' && 'sm:hidden');
  return href === undefined ? (
    <DropdownMenu.Item className={className} disabled={disabled} onSelect={() => onSelect?.()}>
      {content}
    </DropdownMenu.Item>
  ) : (
    <DropdownMenu.Item asChild className={className}>
      <a href={href} download>
        {content}
      </a>
    </DropdownMenu.Item>
  );
}
