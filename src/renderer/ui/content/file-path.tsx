import type { ReactNode } from 'react';
import { use } from 'react';
import { firstChange } from '../../lib/drawing/diff-rows.ts';
import { OpenFileContext } from '../../lib/session/use-open-file.ts';
import { t } from '../../lib/text/translate.ts';

interface FilePathProps {
  readonly path: string;
  readonly line?: number | null;
  /** If no line is given, the first change in this diff is used. */
  readonly diff?: string | null;
  readonly className?: string;
  /** The visible text. */
  readonly children: ReactNode;
}

/** The name of a file. If the user's editor is available, a click opens the file there. */
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
