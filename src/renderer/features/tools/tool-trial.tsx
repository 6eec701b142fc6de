import { useState } from 'react';
import { jsonIn } from '@shared/text/json-in.ts';
import { seenPieces } from '@shared/text/seen-text.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenText } from '../../ui/content/seen-text.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { ToolDraft } from './tool-draft.ts';
import { exampleInput } from './tool-draft.ts';
import { inProject, useToolWork } from './use-tool-servers.ts';

interface ToolTrialProps {
  readonly draft: ToolDraft;
  readonly settle: () => Promise<ToolDraft>;
}

interface Result {
  readonly status: string;
  readonly text: string;
  readonly printed: string;
}

/** Runs the tool in the sandbox as it is written. It need not be saved. */
export function ToolTrial({ draft: { check }, settle }: ToolTrialProps) {
  const client = useClient();
  const work = useToolWork();
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const input = typed ?? exampleInput(check?.declaration?.input_schema ?? {});
  const run = async (): Promise<void> => {
    const read = objectIn(input);
    setWrong(read === null ? t('toolEdit.trial.noObject') : null);
    setResult(null);
    if (read === null) return;
    await work.run(async (signal) => {
      const { file, text, projectPath } = await settle();
      setResult(await client.ownTools.testText({ file, text, input: read, ...inProject(projectPath) }, { signal }));
    });
  };
  return (
    <section aria-label={t('toolEdit.trial')} className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <Field label={t('toolEdit.trial.input')} hint={t('toolEdit.trial.hint')} problem={wrong}>
        {(ids) => (
          <textarea
            {...ids}
            rows={Math.min(8, Math.max(3, input.split('\n').length))}
            value={input}
            spellCheck={false}
            className={`${inputClass} resize-y font-mono text-xs`}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={work.isBusy || (check !== null && check.problem !== null)} onClick={() => void run()}>
          {t('toolEdit.trial.run')}
        </Button>
        {work.isBusy && <Button onClick={work.cancel}>{t('tools.cancel')}</Button>}
        <output className="text-sm text-soft">
          {work.isBusy ? t('toolEdit.trial.busy') : result !== null && statusText(result)}
        </output>
      </div>
      {result !== null && <SeenText pieces={seenPieces(result.text)} />}
      {result?.status === 'ok' && result.printed !== '' && (
        <div className="flex flex-col gap-1">
          <p className="text-sm text-soft">{t('toolEdit.trial.printed')}</p>
          <SeenText pieces={seenPieces(result.printed)} />
        </div>
      )}
      {work.problem !== null && <Problem text={work.problem} />}
    </section>
  );
}

function statusText({ status }: Result): string {
  if (status === 'ok') return t('toolEdit.trial.ok');
  return t(status === 'timed-out' ? 'toolEdit.trial.late' : 'toolEdit.trial.failed');
}

function objectIn(text: string): Record<string, unknown> | null {
  const value = jsonIn(text);
  return isRecord(value) ? { ...value } : null;
}
