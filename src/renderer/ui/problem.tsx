import { t } from '../lib/texts.ts';
import { Button } from './button.tsx';
import { HintButton } from './hint-button.tsx';
import { Notice } from './notice.tsx';
import { WithCode } from './with-code.tsx';

interface ProblemProps {
  /** What went wrong and what to do, as `failureText` says it. */
  readonly text: string;
  /** Tries it once more. */
  readonly onAgain?: () => unknown;
  readonly className?: string;
}

/** Something went wrong: what, and a button for what can be done about it here. */
export function Problem({ text, onAgain, className = '' }: ProblemProps) {
  return (
    <Notice kind="error" className={className}>
      <p>
        <WithCode text={text} />
      </p>
      <div className="mt-1.5 flex flex-wrap items-start gap-2 empty:hidden">
        <HintButton hint={text} />
        {onAgain !== undefined && (
          <Button size="small" onClick={() => void onAgain()}>
            {t('problem.again')}
          </Button>
        )}
      </div>
    </Notice>
  );
}
