import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RuleAnswer, RuleOwner } from '@shared/rules/rule-report.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { t } from '../../lib/text/translate.ts';
import { InputField } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { RouteDot } from '../../ui/figures/route-dot.tsx';

interface RuleTryoutProps {
  readonly projectPath: string | null;
  readonly owner: RuleOwner;
  /** Need not be saved. */
  readonly text: string;
}

/** What the rules in the editor would do with a file and a task. */
export function RuleTryout({ projectPath, owner, text }: RuleTryoutProps) {
  const client = useClient();
  const [path, setPath] = useState('');
  const [task, setTask] = useState('');
  const question = { projectPath, path: path.trim(), task, draft: { owner, text } };
  const isAsked = question.path !== '' || task.trim() !== '';
  const answer = useQuery({
    queryKey: ['rules', 'test', question],
    queryFn: ({ signal }) => client.rules.test(question, { signal }),
    enabled: isAsked,
    placeholderData: (last) => last,
  });
  return (
    <section aria-label={t('rules.try')} className="flex flex-col gap-3 border-t border-line pt-3">
      <h3 className="text-sm font-semibold">{t('rules.try')}</h3>
      <div className="grid gap-3 sm:grid-cols-2">
        <InputField
          label={t('rules.tryPath')}
          value={path}
          onText={setPath}
          spellCheck={false}
          placeholder="plans/a.md"
        />
        <InputField label={t('rules.tryTask')} value={task} onText={setTask} />
      </div>
      {isAsked && answer.error !== null && <Problem text={failureText(answer.error)} onRetry={answer.refetch} />}
      {isAsked && answer.data !== undefined && <Answer answer={answer.data} hasFile={question.path !== ''} />}
    </section>
  );
}

function Answer({
  answer: { place, fence, mask },
  hasFile,
}: {
  readonly answer: RuleAnswer;
  readonly hasFile: boolean;
}) {
  return (
    <ul aria-live="polite" className="flex flex-col gap-1.5 text-sm">
      <li className="flex items-baseline gap-2">
        {place !== null && <RouteDot where={place.where} />}
        {place === null ? t('rules.answer.place') : `${t(`rules.answer.${place.where}`)} ${place.text}`}
      </li>
      {hasFile && (
        <>
          <li>{fence === null ? t('rules.answer.free') : t(`rules.answer.${fence.verdict}`, { rule: fence.text })}</li>
          <li>{mask === null ? t('rules.answer.seen') : t('rules.answer.masked', { rule: mask })}</li>
        </>
      )}
    </ul>
  );
}
