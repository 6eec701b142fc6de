import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useRef, useState } from 'react';
import type { Assistant, AssistantKey } from '@shared/session/assistants.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { taskModes } from '@shared/text/task-mode.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useModels } from '../../lib/models/use-local-model.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { saveText } from '../../lib/text/save-text.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField, inputClass } from '../../ui/controls/field.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import type { AssistantDraft, DraftProblems } from './assistant-draft.ts';
import { fileOfDraft, problemsOf } from './assistant-draft.ts';
import { Select } from '../../ui/controls/select.tsx';

interface AssistantFormProps {
  readonly draft: AssistantDraft;
  /** Names that are taken. */
  readonly others: readonly string[];
  readonly isRefused: boolean;
  readonly onChange: (draft: AssistantDraft) => void;
  readonly onCopy: () => void;
  readonly onSaved: (assistant: Assistant) => void;
  readonly onRemoved: () => void;
}

/** The form for an assistant. Problems appear at their fields, at the latest when it is saved. */
export function AssistantForm(props: AssistantFormProps) {
  const { draft, others, isRefused, onChange, onCopy, onSaved, onRemoved } = props;
  const { save, remove } = useAssistantFiles(draft);
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setIsTried] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const found = problemsOf(draft, others);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setIsTried(true);
    if (Object.keys(found).length === 0)
      void run(async () => {
        const saved = await save();
        setIsTried(false);
        onSaved(saved);
      });
    // The problems appear after the next render.
    else requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  return (
    <form ref={form} noValidate aria-label={t('assistants.form')} onSubmit={submit} className="flex flex-col gap-4">
      <h2 className="font-semibold wrap-anywhere">
        {draft.saved === null ? t('assistants.newTitle') : seenName(draft.saved)}
      </h2>
      <fieldset disabled={isRefused} className="contents">
        <Fields draft={draft} problems={shownProblems(found, draft, isTried)} onChange={onChange} />
      </fieldset>
      {problem !== null && <Problem text={problem} />}
      <div className="flex flex-wrap items-center gap-2">
        {!isRefused && (
          <Button type="submit" look="primary">
            {t('assistants.save')}
          </Button>
        )}
        <Button
          disabled={Object.keys(found).length > 0}
          onClick={() => saveText(fileOfDraft(draft), `${draft.name}.md`)}
        >
          {t('assistants.share')}
        </Button>
        {!isRefused && draft.saved !== null && (
          <>
            <Button onClick={onCopy}>{t('assistants.copy')}</Button>
            <span className="flex-1" />
            <Button
              look="danger"
              onClick={() =>
                void run(async () => {
                  await remove();
                  onRemoved();
                })
              }
            >
              {t('assistants.remove')}
            </Button>
          </>
        )}
      </div>
    </form>
  );
}

/** Before the first try to save, empty fields are no problem. */
function shownProblems(found: DraftProblems, { name, text }: AssistantDraft, isTried: boolean): DraftProblems {
  if (isTried) return found;
  const { name: ofName, text: ofText, ...rest } = found;
  return {
    ...rest,
    ...(name === '' || ofName === undefined ? {} : { name: ofName }),
    ...(text.trim() === '' || ofText === undefined ? {} : { text: ofText }),
  };
}

/** Saves and deletes a draft's file. A deleted file can be restored. */
function useAssistantFiles(draft: AssistantDraft) {
  const client = useClient();
  const queries = useQueryClient();
  const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey: ['assistants'] });
  return {
    save: async (): Promise<Assistant> => {
      const { saved, name } = draft;
      const assistant = await client.assistants.save({ name, text: fileOfDraft(draft), replace: saved === name });
      if (saved !== null && saved !== name) await client.assistants.remove({ name: saved });
      await readAgain();
      return assistant;
    },
    remove: async (): Promise<void> => {
      const name = draft.saved;
      if (name === null) return;
      const { text } = await client.assistants.show({ name });
      await client.assistants.remove({ name });
      await readAgain();
      offerUndo(t('assistants.removed', { name }), async () => {
        await client.assistants.save({ name, text });
        await readAgain();
      });
    },
  };
}

interface FieldsProps {
  readonly draft: AssistantDraft;
  readonly problems: DraftProblems;
  readonly onChange: (draft: AssistantDraft) => void;
}

function Fields({ draft, problems, onChange }: FieldsProps) {
  const { name, text, lines } = draft;
  const setLine = (key: AssistantKey, value: string): void => onChange({ ...draft, lines: { ...lines, [key]: value } });
  return (
    <>
      <InputField
        label={t('assistants.name')}
        hint={t('assistants.nameHint')}
        problem={problems.name ?? null}
        type="text"
        value={name}
        spellCheck={false}
        onText={(next) => onChange({ ...draft, name: next })}
      />
      <Field label={t('assistants.sentence')} hint={t('assistants.sentenceHint')} problem={problems.about ?? null}>
        {(ids) => (
          <input
            {...ids}
            value={lines.about}
            onChange={({ target }) => setLine('about', target.value)}
            className={`${inputClass} h-8`}
          />
        )}
      </Field>
      <Field label={t('assistants.text')} hint={t('assistants.textHint')} problem={problems.text ?? null}>
        {(ids) => (
          <textarea
            {...ids}
            rows={9}
            dir="auto"
            value={text}
            onChange={({ target }) => onChange({ ...draft, text: target.value })}
            className={`${inputClass} resize-y`}
          />
        )}
      </Field>
      <Choices draft={draft} problems={problems} onLine={setLine} />
      <fieldset className="grid gap-3 sm:grid-cols-3">
        <legend className="mb-1 text-sm font-semibold">{t('assistants.sampling')}</legend>
        {numbers.map(({ key, label, hint }) => (
          <InputField
            key={key}
            label={t(label)}
            hint={t(hint)}
            problem={problems[key] ?? null}
            type="text"
            inputMode="decimal"
            placeholder={t('assistants.modelUsual')}
            value={lines[key]}
            onText={(value) => setLine(key, value)}
          />
        ))}
      </fieldset>
    </>
  );
}

const numbers = [
  { key: 'temperature', label: 'assistants.temperature', hint: 'assistants.temperatureHint' },
  { key: 'top-p', label: 'assistants.topP', hint: 'assistants.topPHint' },
  { key: 'max-tokens', label: 'assistants.maxTokens', hint: 'assistants.maxTokensHint' },
] as const;

interface ChoicesProps extends Pick<FieldsProps, 'draft' | 'problems'> {
  readonly onLine: (key: AssistantKey, value: string) => void;
}

function Choices({ draft: { lines }, problems, onLine }: ChoicesProps) {
  const models = (useModels().data ?? []).filter(({ state }) => state === 'ready');
  const isGone = lines.model !== '' && !models.some(({ id }) => id === lines.model);
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Field label={t('assistants.model')} hint={t('assistants.modelHint')} problem={problems.model ?? null}>
        {(ids) => (
          <Select {...ids} value={lines.model} onChange={({ target }) => onLine('model', target.value)}>
            <option value="">{t('assistants.modelUsual')}</option>
            {isGone && <option value={lines.model}>{t('assistants.modelGone', { id: seenName(lines.model) })}</option>}
            {models.map(({ id, label, where }) => (
              <option key={id} value={id}>
                {seenName(label)} · {t(`composer.where.${where}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('assistants.mode')} problem={problems.mode ?? null}>
        {(ids) => (
          <Select {...ids} value={lines.mode} onChange={({ target }) => onLine('mode', target.value)}>
            <option value="">{t('assistants.modeUsual')}</option>
            {taskModes.map((mode) => (
              <option key={mode} value={mode}>
                {t(`mode.${mode}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('assistants.tools')} hint={t('assistants.toolsHint')}>
        {(ids) => (
          <Select {...ids} value={lines.tools} onChange={({ target }) => onLine('tools', target.value)}>
            <option value="">{t('assistants.tools.on')}</option>
            <option value="off">{t('assistants.tools.off')}</option>
          </Select>
        )}
      </Field>
    </div>
  );
}
