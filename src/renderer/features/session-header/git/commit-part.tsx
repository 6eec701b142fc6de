import { useState } from 'react';
import type { CommitPlan } from '@shared/git/commit-plan.ts';
import { seenLines, seenName, seenWords } from '@shared/text/seen-text.ts';
import { plural, t } from '../../../lib/text/translate.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Field, inputClass, InputField } from '../../../ui/controls/field.tsx';
import { PlannedWork } from './planned-work.tsx';
import { usePlan } from './use-plan.ts';

interface CommitPartProps {
  readonly sessionId: string;
  readonly onRequest: () => void;
}

/** More names are in the changes. */
const namedFiles = 12;

/** Shows the commit of a session's changes, and makes it on a branch that is not checked out. */
export function CommitPart({ sessionId, onRequest }: CommitPartProps) {
  /** As the person wrote them; null: as proposed. */
  const [branch, setBranch] = useState<string | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  const input = { sessionId, branch: orNull(branch), message: orNull(message) };
  const planned = usePlan({
    key: ['commit', input],
    plan: (client, signal) => client.git.planCommit(input, { signal }),
    make: (client, { approval }) => client.git.commit({ ...input, approval }),
  });
  const { plan, made } = planned;
  if (made !== null)
    return (
      <div className="flex flex-col gap-3" aria-live="polite">
        <p>
          {plural('git.committed', made.files, { commit: made.commit.slice(0, 12), branch: seenName(made.branch) })}
        </p>
        <div className="flex justify-end">
          <Button size="small" look="primary" onClick={onRequest}>
            {t('git.toRequest')}
          </Button>
        </div>
      </div>
    );
  return (
    <div className="flex flex-col gap-3">
      <InputField
        label={t('git.branch')}
        type="text"
        maxLength={200}
        value={branch ?? plan?.branch ?? ''}
        onText={setBranch}
      />
      <Field label={t('git.message')}>
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            maxLength={20_000}
            className={`${inputClass} font-mono text-xs`}
            value={message ?? withoutLastLine(plan)}
            onChange={({ target }) => setMessage(target.value)}
          />
        )}
      </Field>
      <PlannedWork planned={planned} label={t('git.commit')}>
        {(shown) => <PlannedCommit plan={shown} />}
      </PlannedWork>
    </div>
  );
}

function PlannedCommit({ plan }: { readonly plan: CommitPlan }) {
  const { isMore, base, author, files, notes } = plan;
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-3 text-xs wrap-anywhere" aria-live="polite">
      <p>{t(isMore ? 'git.moreOn' : 'git.newBranch', { base: base.slice(0, 8) })}</p>
      <p className="text-soft">{t('git.author', { author: seenWords(author) })}</p>
      <ul className="mt-2">
        {files.slice(0, namedFiles).map(({ path, kind, note }) => (
          <li key={path}>
            <span className={kind === 'left out' ? 'text-warn' : 'text-soft'}>
              {t(kind === 'left out' ? 'git.leftOut' : `git.kind.${kind}`)}
            </span>{' '}
            <span className="font-mono">{seenName(path)}</span>
            {note !== null && <span className="text-soft">: {seenWords(note)}</span>}
          </li>
        ))}
        {files.length > namedFiles && <li>{plural('restore.more', files.length - namedFiles)}</li>}
      </ul>
      {notes.map((note) => (
        <p key={note} className="mt-1 text-warn">
          {seenWords(note)}
        </p>
      ))}
    </div>
  );
}

/** The proposed message without the line that names the session, which is added to any message. */
function withoutLastLine(plan: CommitPlan | null): string {
  if (plan === null) return '';
  const lines = seenLines(plan.message.trimEnd()).split('\n');
  return lines.slice(0, -1).join('\n').trimEnd();
}

function orNull(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}
