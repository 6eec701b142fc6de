import type { ReactNode } from 'react';
import { Icon } from '../layout/icon.tsx';

interface NoticeProps {
  readonly kind: 'info' | 'warning' | 'error';
  readonly children: ReactNode;
  readonly className?: string;
  /** It is announced elsewhere, and may be scrolled into view many times. */
  readonly isQuiet?: boolean;
}

const looks = {
  info: 'border-line bg-sunken',
  warning: 'border-transparent bg-warn-soft',
  error: 'border-transparent bg-bad-soft',
} as const;

/** A message that is read out when it appears: an error at once, anything else in the next pause. */
export function Notice({ kind, children, className = '', isQuiet = false }: NoticeProps) {
  return (
    <div
      className={`flex gap-2.5 rounded-lg border px-3 py-2 text-sm wrap-anywhere ${looks[kind]} ${className}`}
      role={isQuiet ? undefined : kind === 'error' ? 'alert' : 'status'}
    >
      {kind !== 'info' && (
        <Icon name="alert" className={`mt-0.5 size-4 ${kind === 'error' ? 'text-bad' : 'text-warn'}`} />
      )}
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
