import type { ComponentProps } from 'react';
import type { IconName } from '../layout/icon.tsx';
import { Icon } from '../layout/icon.tsx';

const looks = {
  field: 'h-8 pr-7 pl-2.5 text-sm',
  small: 'h-7 pr-7 pl-2 text-xs',
} as const;

interface SelectProps extends ComponentProps<'select'> {
  /** Small: beside small buttons. */
  readonly look?: keyof typeof looks;
  /** How wide it is. */
  readonly className?: string;
}

/** One of a list, in a field of its own; it looks the same in every browser. */
export function Select({ look = 'field', className = 'w-full', ...select }: SelectProps) {
  return (
    <span className={`relative inline-grid min-w-0 grid-cols-[minmax(0,1fr)] ${className}`}>
      <select
        {...select}
        className={`min-w-0 appearance-none truncate rounded-md border border-line-strong bg-raised text-ink disabled:opacity-60 aria-invalid:border-bad ${looks[look]}`}
      />
      <Mark className="right-2" />
    </span>
  );
}

interface QuietSelectProps extends Omit<ComponentProps<'select'>, 'className'> {
  /** Of the option that is chosen: it is as wide as this, not as the longest option. */
  readonly text: string;
  readonly icon?: IconName;
}

/** One of a list, as words among the buttons below a message. */
export function QuietSelect({ text, icon, ...select }: QuietSelectProps) {
  // A mark alone is narrow.
  const room = text === '' && icon !== undefined ? 'pr-0 pl-6.5' : icon === undefined ? 'pr-5 pl-1.5' : 'pr-5 pl-7';
  const space = `col-start-1 row-start-1 truncate border border-transparent ${room}`;
  return (
    <span className="relative inline-grid max-w-40 min-w-7 shrink-2 items-center rounded-md text-xs text-soft hover:bg-chosen hover:text-ink">
      {icon !== undefined && <Icon name={icon} className="pointer-events-none absolute left-1.5 size-3.5" />}
      <span aria-hidden="true" className={`invisible ${space}`}>
        {text}
      </span>
      <select {...select} className={`h-7 w-0 min-w-full appearance-none rounded-md bg-transparent ${space}`} />
      {text !== '' && <Mark className="right-1" />}
    </span>
  );
}

function Mark({ className }: { readonly className: string }) {
  return (
    <Icon
      name="chevron"
      className={`pointer-events-none absolute top-1/2 size-3 -translate-y-1/2 rotate-90 ${className}`}
    />
  );
}
