import { useState } from 'react';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

interface IssueOfferProps {
  /** What was typed as the task. */
  readonly task: string;
  /** Null: none is chosen. */
  readonly projectPath: string | null;
  readonly onTask: (task: string) => void;
}

const longestAddress = 500;

/** `https://example.org/ada/app/issues/12`, and the form with `/-/issues/`. */
function isIssueAddress(text: string): boolean {
  if (text.length > longestAddress || /\s/u.test(text)) return false;
  const [scheme, empty, ...names] = text.split('/');
  const at = names.findLastIndex((name) => name === 'issues' || name === 'work_items');
  return /^https?:$/u.test(scheme ?? '') && empty === '' && at >= 3 && /^\d{1,9}$/u.test(names[at + 1] ?? '');
}

/** Offers to read an issue whose address is the whole task. Its words become the task, to be seen before it starts. */
export function IssueOffer({ task, projectPath, onTask }: IssueOfferProps) {
  const client = useClient();
  const [problem, setProblem] = useState<{ readonly of: string; readonly text: string } | null>(null);
  const [isReading, setIsReading] = useState(false);
  const issue = task.trim();
  if (projectPath === null || !isIssueAddress(issue)) return null;
  const read = async (): Promise<void> => {
    setProblem(null);
    setIsReading(true);
    try {
      onTask((await client.git.issue({ projectPath, issue })).text);
    } catch (error) {
      setProblem({ of: issue, text: failureText(error) });
    } finally {
      setIsReading(false);
    }
  };
  return (
    <Notice kind="info">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1">{t('task.issue')}</p>
        <Button size="small" disabled={isReading} onClick={() => void read()}>
          {t('task.issue.read')}
        </Button>
      </div>
      {problem?.of === issue && <Problem text={problem.text} className="mt-2" />}
    </Notice>
  );
}
