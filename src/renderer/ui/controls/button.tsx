import type { ComponentProps } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  /** `primary`: the main action here. `quiet`: without a border. */
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly size?: 'small' | 'normal' | 'icon';
}

const looks = {
  primary: 'border-ink bg-ink text-paper hover:opacity-90',
  plain: 'border-line bg-raised hover:bg-chosen',
  quiet: 'border-transparent hover:bg-chosen aria-pressed:bg-chosen',
  danger: 'border-line bg-raised text-bad hover:bg-bad-soft',
} as const;

const sizes = {
  small: 'h-7 px-2.5 text-xs',
  normal: 'h-8 px-3',
  icon: 'size-8',
} as const;

export function Button({ look = 'plain', size = 'normal', className = '', type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- it has one, by default or as given
      type={type}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border whitespace-nowrap transition-colors disabled:cursor-default disabled:opacity-50 ${looks[look]} ${sizes[size]} ${className}`}
    />
  );
}
