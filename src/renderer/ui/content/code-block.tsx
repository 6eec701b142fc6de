import { use, useState } from 'react';
import { codeFileName } from '../../lib/text/code-file-name.ts';
import { CodeRunnerContext, runnableAs } from '../../lib/session/code-runner.ts';
import { imageUrlOf } from '../../lib/drawing/image-url.ts';
import { t } from '../../lib/text/translate.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { CodeLines } from './code-lines.tsx';
import { CodeRun } from './code-run.tsx';
import { PictureView } from './picture.tsx';
import { SaveButton } from './save-button.tsx';
import { WebPage } from './web-page.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** The word after the fence; empty: plain text. */
  readonly language: string;
  /** More text is coming. Colors wait until it is complete. */
  readonly isGrowing?: boolean;
}

/** Code with buttons to copy, save, show a page or a drawing behind locks and, with a sandbox, run it. */
export function CodeBlock({ code, language, isGrowing = false }: CodeBlockProps) {
  const text = code.replace(/\n$/u, '');
  const runner = use(CodeRunnerContext);
  const kind = isGrowing || runner === null ? null : runnableAs(language);
  // The number of the run, so that another click starts again. 0: not run yet.
  const [run, setRun] = useState(0);
  const form = isGrowing ? null : shownAs(language, text);
  const [isShown, setIsShown] = useState(false);
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-8 items-center gap-1 border-b border-line pr-1 pl-3 text-xs text-soft">
        <span className="flex-1 font-mono">{language === '' ? t('code.plain') : language}</span>
        {form !== null && (
          <button
            type="button"
            aria-pressed={isShown}
            title={t('code.showAbout')}
            className="rounded px-1.5 py-0.5 text-xs hover:bg-chosen hover:text-ink"
            onClick={() => setIsShown(!isShown)}
          >
            {t(isShown ? 'code.hide' : 'code.show')}
          </button>
        )}
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
      {form !== null && isShown && (
        <div data-shown={form} className="flex flex-col gap-2 border-b border-line p-2">
          {form === 'page' ? (
            <WebPage name={codeFileName('html')} html={text} />
          ) : (
            <PictureView name={codeFileName('svg')} url={imageUrlOf(withSpace(text))} />
          )}
        </div>
      )}
      <CodeLines code={code} language={language} isGrowing={isGrowing} />
      {kind !== null && runner !== null && run > 0 && (
        <CodeRun key={run} sessionId={runner.sessionId} language={kind} code={text} onClose={() => setRun(0)} />
      )}
    </figure>
  );
}

/** How such code can be seen: a page in a locked frame, an SVG as a picture. Null: only as text. */
function shownAs(language: string, text: string): 'page' | 'picture' | null {
  const name = language.toLowerCase();
  if (!['html', 'htm', 'svg', 'xml'].includes(name)) return null;
  const isDrawing = /^\s*(?:<\?xml[^<>]*\?>\s*)?<svg[\s>]/iu.test(text);
  if (isDrawing) return 'picture';
  return name === 'html' || name === 'htm' ? 'page' : null;
}

/** A picture needs the name of its language, which a drawing inside a page may leave out. */
function withSpace(svg: string): string {
  return /\sxmlns\s*=/u.test(svg) ? svg : svg.replace(/<svg/iu, '<svg xmlns="http://www.w3.org/2000/svg"');
}
