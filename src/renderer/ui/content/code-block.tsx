import { use, useState } from 'react';
import { codeFileName } from '../../lib/text/code-file-name.ts';
import { CodeRunnerContext, runnableAs } from '../../lib/session/code-runner.ts';
import { t } from '../../lib/text/translate.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { CodeLines } from './code-lines.tsx';
import { CodeRun } from './code-run.tsx';
import { SaveButton } from './save-button.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** The word after the fence; empty: plain text. */
  readonly language: string;
  /** More text is coming. Colors wait until it is complete. */
  readonly isGrowing?: boolean;
}

/** Code with buttons to copy, save and, with a sandbox, run it. */
export function CodeBlock({ code, language, isGrowing = false }: CodeBlockProps) {
  const text = code.replace(/\n$/u, '');
  const runner = use(CodeRunnerContext);
  const kind = isGrowing || runner === null ? null : runnableAs(language);
  // The number of the run, so that another click starts again. 0: not run yet.
  const [run, setRun] = useState(0);
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center gap-1 border-b border-line pr-1 pl-3 text-xs text-soft">
        <span className="flex-1 font-mono">{language === '' ? t('code.plain') : language}</span>
        {kind !== null && (
          <button
            type="button"
            disabled={runner?.isBusy}
            title={t(runner?.isBusy === true ? 'run.busy' : 'run.about')}
            className="rounded px-1.5 py-0.5 text-xs hover:bg-chosen hover:text-ink disabled:opacity-50"
            onClick={() => setRun(run + 1)}
          >
            {t(run === 0 ? 'run.start' : 'run.again')}
          </button>
        )}
        {!isGrowing && <SaveButton text={`${text}\n`} name={codeFileName(language)} />}
        <CopyButton text={text} label={t('code.copy')} />
      </figcaption>
      <CodeLines code={code} language={language} isGrowing={isGrowing} />
      {kind !== null && runner !== null && run > 0 && (
        <CodeRun key={run} sessionId={runner.sessionId} language={kind} code={text} onClose={() => setRun(0)} />
      )}
    </figure>
  );
}
