import type { FormEvent } from 'react';
import { useState } from 'react';
import type { RuleCheck } from '@shared/rules/rule-report.ts';
import type { RuleKind, RuleVerdict } from '@shared/rules/rule-verdicts.ts';
import { ruleKinds, ruleVerdicts } from '@shared/rules/rule-verdicts.ts';
import type { RuleLine } from '@shared/rules/parse-rules.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { Field, InputField } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';

/** A rules file is its text. These functions change one line and keep comments and empty lines in place. */

const linesOf = (text: string): string[] => text.replace(/\n$/u, '').split('\n');
const joined = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);

export function withLine(text: string, rule: string): string {
  return text.trim() === '' ? `${rule}\n` : joined([...linesOf(text), rule]);
}

/** `line` counts from 1. */
export function replaceLine(text: string, line: number, rule: string): string {
  return joined(linesOf(text).map((one, at) => (at === line - 1 ? rule : one)));
}

export function withoutLine(text: string, line: number): string {
  return joined(linesOf(text).filter((_, at) => at !== line - 1));
}

/** Swaps two rules. The lines between them stay. */
export function swapLines(text: string, first: number, second: number): string {
  const lines = linesOf(text);
  return joined(
    lines.map((one, at) => {
      if (at === first - 1) return lines[second - 1] ?? one;
      return at === second - 1 ? (lines[first - 1] ?? one) : one;
    }),
  );
}

interface RuleListProps {
  readonly text: string;
  /** For this text, or for the previous one for a moment. */
  readonly check: RuleCheck;
  readonly onText: (text: string) => void;
}

/** The rules in order, which matters. Each can be moved, changed and removed. */
export function RuleList({ text, check, onText }: RuleListProps) {
  const [edited, setEdited] = useState<number | null>(null);
  const { rules, warnings } = check;
  return (
    <div className="flex flex-col gap-3">
      {rules.length === 0 && <p className="text-sm text-soft">{t('rules.none')}</p>}
      <ol aria-label={t('rules.list')} className="flex flex-col gap-2">
        {rules.map((rule, at) =>
          edited === rule.line ? (
            <li key={rule.line}>
              <RuleForm
                rule={rule}
                onRule={(line) => {
                  onText(replaceLine(text, rule.line, line));
                  setEdited(null);
                }}
                onCancel={() => setEdited(null)}
              />
            </li>
          ) : (
            <RuleRow
              key={rule.line}
              rule={rule}
              warning={warnings.find(({ line }) => line === rule.line)?.text ?? null}
              onUp={at === 0 ? null : () => onText(swapLines(text, rule.line, rules[at - 1]?.line ?? rule.line))}
              onDown={
                at === rules.length - 1
                  ? null
                  : () => onText(swapLines(text, rule.line, rules[at + 1]?.line ?? rule.line))
              }
              onEdit={() => setEdited(rule.line)}
              onRemove={() => onText(withoutLine(text, rule.line))}
            />
          ),
        )}
      </ol>
      {edited === null && <RuleForm key={text} rule={null} onRule={(line) => onText(withLine(text, line))} />}
    </div>
  );
}

interface RuleRowProps {
  readonly rule: RuleLine;
  readonly warning: string | null;
  /** Null for the first or last rule. */
  readonly onUp: (() => void) | null;
  readonly onDown: (() => void) | null;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function RuleRow({ rule: { line, verdict, kind, value }, warning, onUp, onDown, onEdit, onRemove }: RuleRowProps) {
  const name = seenName(`${verdict} ${kind} ${value}`.trim());
  const actions = [
    ['up', onUp],
    ['down', onDown],
    ['edit', onEdit],
    ['remove', onRemove],
  ] as const;
  return (
    <li className="flex flex-col gap-1 rounded-md border border-line px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <span className="w-6 text-xs text-soft tabular-nums">{line}</span>
        <span className="font-semibold">{t(`rules.verdict.${verdict}`)}</span>
        <span className="min-w-0 flex-1 basis-40 wrap-anywhere">
          {t(`rules.kind.${kind}`)} <span className="font-mono text-xs">{seenName(value)}</span>
        </span>
        <span className="flex gap-2">
          {actions.map(([action, onClick]) => (
            <IconButton
              key={action}
              icon={actionIcons[action]}
              label={`${t(`rules.${action}`)}: ${name}`}
              title={t(`rules.${action}`)}
              disabled={onClick === null}
              onClick={() => onClick?.()}
            />
          ))}
        </span>
      </div>
      {warning !== null && <p className="pl-8 text-sm text-warn">{seenWords(warning)}</p>}
    </li>
  );
}

const actionIcons = { up: 'send', down: 'down', edit: 'edit', remove: 'close' } as const;

interface RuleFormProps {
  /** Null: a new one. */
  readonly rule: RuleLine | null;
  readonly onRule: (line: string) => void;
  readonly onCancel?: () => void;
}

function RuleForm({ rule, onRule, onCancel }: RuleFormProps) {
  const [verdict, setVerdict] = useState<RuleVerdict>(rule?.verdict ?? 'local-only');
  const [kind, setKind] = useState<RuleKind>(rule?.kind ?? 'path');
  const [value, setValue] = useState(rule?.value ?? '');
  const kinds: readonly RuleKind[] = ruleKinds[verdict];
  const by = kinds.includes(kind) ? kind : 'path';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onRule(`${verdict} ${by} ${by === 'always' ? '' : value.trim()}`.trim());
  };
  return (
    <form
      aria-label={t(rule === null ? 'rules.new' : 'rules.edit')}
      onSubmit={submit}
      className="grid items-end gap-2 rounded-md bg-sunken p-3 sm:grid-cols-[auto_auto_1fr_auto]"
    >
      <Choose
        label={t('rules.what')}
        value={verdict}
        options={ruleVerdicts}
        prefix="rules.verdict"
        onChoose={setVerdict}
      />
      <Choose label={t('rules.by')} value={by} options={kinds} prefix="rules.kind" onChoose={setKind} />
      <InputField
        label={t(`rules.value.${by}`)}
        value={value}
        onText={setValue}
        spellCheck={false}
        disabled={by === 'always'}
      />
      <div className="flex gap-2">
        <Button type="submit" disabled={by !== 'always' && value.trim() === ''}>
          {t(rule === null ? 'rules.add' : 'rules.change')}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>{t('rules.cancel')}</Button>}
      </div>
    </form>
  );
}

interface ChooseProps<Name extends RuleVerdict | RuleKind, Prefix extends 'rules.verdict' | 'rules.kind'> {
  readonly label: string;
  readonly value: Name;
  readonly options: readonly Name[];
  readonly prefix: Prefix;
  readonly onChoose: (value: Name) => void;
}

const wordText = (prefix: 'rules.verdict' | 'rules.kind', name: RuleVerdict | RuleKind): string => {
  const verdict = ruleVerdicts.find((one) => one === name);
  if (prefix === 'rules.verdict' && verdict !== undefined) return t(`rules.verdict.${verdict}`);
  const kind = (['path', 'text', 'task', 'purpose', 'always'] as const).find((one) => one === name);
  return kind === undefined ? name : t(`rules.kind.${kind}`);
};

function Choose<Name extends RuleVerdict | RuleKind, Prefix extends 'rules.verdict' | 'rules.kind'>({
  label,
  value,
  options,
  prefix,
  onChoose,
}: ChooseProps<Name, Prefix>) {
  return (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          value={value}

          onChange={({ target }) => {
            const option = options.find((one) => one === target.value);
            if (option !== undefined) onChoose(option);
          }}
        >
          {options.map((option) => (
            <option key={option} value={option}>
              {wordText(prefix, option)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
