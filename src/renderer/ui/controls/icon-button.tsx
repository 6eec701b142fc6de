import type { ComponentProps } from 'react';
import type { IconName } from '../layout/icon.tsx';
import { Icon } from '../layout/icon.tsx';
import { Button } from './button.tsx';

interface IconButtonProps extends Omit<ComponentProps<typeof Button>, 'size' | 'look' | 'className' | 'children'> {
  readonly icon: IconName;
  /** What it does; also its tooltip. */
  readonly label: string;
}

/** A small mark without a border, beside what it acts on. */
export function IconButton({ icon, label, ...button }: IconButtonProps) {
  return (
    <Button
      title={label}
      {...button}
      size="icon"
      look="quiet"
      className="size-7 text-soft aria-disabled:opacity-40"
      aria-label={label}
    >
      <Icon name={icon} className="size-3.5" />
    </Button>
  );
}
