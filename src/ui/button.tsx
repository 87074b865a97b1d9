import { clsx } from 'clsx';
import type { LucideIcon } from 'lucide-react';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';

const variants = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  secondary: 'border border-line bg-surface text-ink hover:bg-raised',
  quiet: 'text-quiet hover:bg-raised hover:text-ink',
  pressed: 'bg-accent-soft text-accent',
  danger: 'bg-danger text-surface hover:brightness-110',
};
/** Small ones stand in bars and in dense lists, beside small choices. Heights: 36 and 32 px; 44 px for fingers (WCAG 2.5.5). */
const sizes = {
  regular: 'h-9 px-3.5 pointer-coarse:h-11',
  small: 'h-8 px-2.5 text-label pointer-coarse:h-11',
  icon: 'size-9 pointer-coarse:size-11',
  smallIcon: 'size-8 pointer-coarse:size-11',
};

type ButtonProps = ComponentProps<'button'> & {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
  asChild?: boolean;
};

/** A button, or with `asChild` a link that looks like one. */
export function Button({ variant = 'secondary', size = 'regular', className, asChild = false, ...props }: ButtonProps) {
  const Element = asChild ? Slot.Root : 'button';
  return (
    <Element
      {...(asChild ? {} : { type: 'button' as const })}
      {...props}
      className={clsx(
        'inline-flex shrink-0 items-center justify-center gap-2 rounded-control font-medium whitespace-nowrap transition-colors duration-quick disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
        variants[variant],
        sizes[size],
        className,
      )}
    />
  );
}

/** A button with nothing but an icon; `label` says what it does, also to the pointer where there is no other `title`. */
export const IconButton = ({
  icon: Icon,
  label,
  size = 'icon',
  ...props
}: Omit<ButtonProps, 'children'> & { icon: LucideIcon; label: string; size?: 'icon' | 'smallIcon' }) => (
  <Button variant="quiet" size={size} aria-label={label} title={label} {...props}>
    <Icon aria-hidden />
  </Button>
);
