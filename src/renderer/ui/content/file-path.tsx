import type { ReactNode } from 'react';
import { use } from 'react';
import { OpenFileContext } from '../../lib/session/use-open-file.ts';
import { t } from '../../lib/text/translate.ts';

interface FilePathProps {
  readonly path: string;
  readonly line?: number | null;
  readonly className?: string;
  /** As it is shown. */
  readonly children: ReactNode;
}

/** The name of a file; where the person's editor can be opened, a click opens it there. */
export function FilePath({ path, line = null, className = '', children }: FilePathProps) {
  const open = use(OpenFileContext);
  if (open === null) return <span className={className}>{children}</span>;
  return (
    <button
      type="button"
      title={t('file.open')}
      onClick={() => open(path, line)}
      className={`cursor-pointer text-left underline decoration-line-strong decoration-dotted underline-offset-3 hover:decoration-solid ${className}`}
    >
      {children}
    </button>
  );
}
