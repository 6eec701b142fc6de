import type { RuleCheck } from '@shared/rules/rule-report.ts';
import { t } from '../../lib/text/translate.ts';
import { Field } from '../../ui/controls/field.tsx';

interface RuleTextProps {
  readonly text: string;
  readonly check: RuleCheck;
  readonly onText: (text: string) => void;
}

/** The file as text, with line numbers, and the problems below it. */
export function RuleText({ text, check, onText }: RuleTextProps) {
  const lines = text.split('\n');
  const wrong = new Set(check.errors.map(({ line }) => line));
  const odd = new Set(check.warnings.map(({ line }) => line));
  return (
    <div className="flex flex-col gap-2">
      <Field label={t('rules.text')} hint={t('rules.textHint')}>
        {(ids) => (
          <div className="flex max-h-80 overflow-y-auto rounded-md border border-line-strong bg-raised font-mono text-xs leading-5">
            <div aria-hidden="true" className="shrink-0 py-1.5 pr-2 pl-2 text-right text-soft select-none">
              {lines.map((_, at) => (
                <div
                  // oxlint-disable-next-line react/no-array-index-key -- a line is its number
                  key={at}
                  className={wrong.has(at + 1) ? 'font-semibold text-bad' : odd.has(at + 1) ? 'text-warn' : ''}
                >
                  {at + 1}
                </div>
              ))}
            </div>
            <textarea
              {...ids}
              value={text}
              wrap="off"
              spellCheck={false}
              rows={Math.max(6, lines.length)}
              aria-invalid={wrong.size > 0}
              onChange={({ target }) => onText(target.value)}
              className="min-w-0 flex-1 resize-none overflow-y-hidden bg-transparent py-1.5 pr-2 leading-5 outline-offset-[-2px]"
            />
          </div>
        )}
      </Field>
      <Said lines={check.errors} look="text-bad" />
      <Said lines={check.warnings} look="text-warn" />
    </div>
  );
}

function Said({ lines, look }: { readonly lines: RuleCheck['errors']; readonly look: string }) {
  if (lines.length === 0) return null;
  return (
    <ul className={`flex flex-col gap-1 text-sm ${look}`}>
      {lines.map(({ line, text }) => (
        <li key={`${line} ${text}`} className="wrap-anywhere">
          {t('rules.line', { line })} {text}
        </li>
      ))}
    </ul>
  );
}
