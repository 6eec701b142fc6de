import { useState } from 'react';
import { instructionTokens, longestInstructions } from '@shared/projects/project-keys.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, focusField, inputClass } from '../../ui/controls/field.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { PageHandle } from './use-project-page.ts';

/** What the user says to models with each message of the project, and what that costs. */
export function OwnInstructions({ handle }: { readonly handle: PageHandle }) {
  const { page, isRefused, say } = handle;
  const problem = handle.problemOf('instructions') ?? handle.unread;
  const [typed, setTyped] = useState<string | null>(null);
  const kept = page?.instructions.text ?? '';
  const text = typed ?? kept;
  const { length } = text.trim();
  const isTooLong = length > longestInstructions;
  const tokens = instructionTokens(text);
  const broken = page?.instructions.problem ?? null;
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (!(await say({ type: 'instructions', text }))) return;
    setTyped(null);
    focusField(form);
  };
  return (
    <Group title={t('project.own')}>
      {broken !== null && <Notice kind="warning">{seenWords(broken)}</Notice>}
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save(event.currentTarget);
        }}
      >
        <Field
          label={t('project.own.label')}
          hint={`${t('project.own.hint')} ${tokens === 0 ? t('project.own.free') : t('project.own.cost', { tokens: tokens.toLocaleString('en') })}`}
          problem={
            isTooLong
              ? t('project.own.tooLong', {
                  count: length.toLocaleString('en'),
                  most: longestInstructions.toLocaleString('en'),
                })
              : null
          }
          className="w-full"
        >
          {(ids) => (
            <textarea
              {...ids}
              rows={6}
              disabled={isRefused}
              value={text}
              placeholder={t('project.own.example')}
              onChange={(event) => setTyped(event.target.value)}
              className={`${inputClass} resize-y`}
            />
          )}
        </Field>
        {problem !== null && <Problem text={problem} />}
        {!isRefused && (
          <Button type="submit" disabled={text.trim() === kept || isTooLong || page === undefined}>
            {t('project.own.save')}
          </Button>
        )}
      </form>
      {kept !== '' && page?.file !== null && page?.file !== undefined && (
        <p className="text-xs text-soft wrap-anywhere">{t('project.own.file', { file: folderText(page.file) })}</p>
      )}
    </Group>
  );
}
