import { t } from '../../lib/text/translate.ts';
import { Button } from '../controls/button.tsx';
import { HintButton } from './hint-button.tsx';
import { Notice } from './notice.tsx';
import { TextWithCode } from './text-with-code.tsx';

interface ProblemProps {
  /** What went wrong and what to do, from `failureText`. */
  readonly text: string;
  /** Tries it again. */
  readonly onRetry?: () => unknown;
  readonly className?: string;
}

/** An error: what went wrong, and a button for what can be done about it here. */
export function Problem({ text, onRetry, className = '' }: ProblemProps) {
  return (
    <Notice kind="error" className={className}>
      <p>
        <TextWithCode text={text} />
      </p>
      <div className="mt-1.5 flex flex-wrap items-start gap-2 empty:hidden">
        <HintButton hint={text} />
        {onRetry !== undefined && (
          <Button size="small" onClick={() => void onRetry()}>
            {t('problem.again')}
          </Button>
        )}
      </div>
    </Notice>
  );
}
