import type { ReactNode } from 'react';
import { use } from 'react';
import { firstChange } from '../../lib/drawing/diff-rows.ts';
import { OpenFileContext } from '../../lib/session/use-open-file.ts';
import { t } from '../../lib/text/translate.ts';

interface FilePathProps {
  readonly path: string;
  readonly line?: number | null;
  /** Its first change is the line, where none is said. */
  readonly diff?: string | null;
  readonly className?: string;
  /** As it is shown. */
  readonly children: ReactNode;
}

/** The name of a file; where the person's editor can be opened, a click opens it there. */
export function FilePath({ path, line = null, diff = null, className = '', children }: FilePathProps) {
  const open = use(OpenFileContext);
  if (open === null) return <span className={className}>{children}</span>;
  return (
    <button
      type="button"
      title={t('file.open')}
      onClick={() => open(path, line ?? firstChange(diff))}
      className={`cursor-pointer text-left underline decoration-line-strong decoration-dotted underline-offset-3 hover:decoration-solid ${className}`}
    >
      {children}
    </button>
  );
}
