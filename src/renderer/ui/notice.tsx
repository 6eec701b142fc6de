import type { ReactNode } from 'react';

interface NoticeProps {
  readonly kind: 'info' | 'warning' | 'error';
  readonly children: ReactNode;
}

/** A message that is read out when it appears: an error at once, anything else when there is a pause. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div className={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
