import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import type { FormEvent } from 'react';
import { useState } from 'react';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { mostTemplateCharacters, templateAbout } from '@shared/session/prompt-templates.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { useTemplates } from '../../lib/input/use-templates.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField, inputClass } from '../../ui/controls/field.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';

/** The user's prompt templates: make, change and delete them here. `/NAME` in the field uses one. */
export default function TemplateEditor({ onClose }: { readonly onClose: () => void }) {
  const { templates: all, folder } = useTemplates(null);
  const templates = all.filter(({ from }) => from === undefined);
  const [chosen, setChosen] = useState<string | null>(null);
  const isRefused = useIsCommandRefused('templates.save');
  const template = templates.find(({ name }) => name === chosen) ?? null;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Dialog.Portal>
        {/* The library's own overlay would add a style sheet, which the page's policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content className="fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[min(44rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-y-auto rounded-xl border border-line bg-raised p-5 pr-2.5 text-sm shadow-float">
          <Dialog.Title className="text-xl font-semibold">{t('templates.title')}</Dialog.Title>
          <Dialog.Description className="mt-1 text-xs text-soft wrap-anywhere">
            {t('templates.about', { folder: folderText(folder) })}
          </Dialog.Description>
          {isRefused && (
            <div className="mt-3">
              <ViewOnly text={t('templates.refused')} />
            </div>
          )}
          <div className="mt-4 grid gap-4 sm:grid-cols-[12rem_1fr]">
            <Names templates={templates} chosen={chosen} onChoose={setChosen} />
            <TemplateForm key={chosen ?? ''} {...{ template, isRefused }} onSaved={setChosen} onClose={onClose} />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface NamesProps {
  readonly templates: readonly PromptTemplate[];
  readonly chosen: string | null;
  /** Null: a new one. */
  readonly onChoose: (name: string | null) => void;
}

function Names({ templates, chosen, onChoose }: NamesProps) {
  return (
    <ul aria-label={t('templates.list')} className="flex max-h-64 flex-col gap-0.5 overflow-y-auto sm:max-h-96">
      <li>
        <Button
          size="small"
          look="quiet"
          className="w-full justify-start!"
          aria-pressed={chosen === null}
          onClick={() => onChoose(null)}
        >
          <Icon name="plus" className="size-3.5" /> {t('templates.new')}
        </Button>
      </li>
      {templates.map(({ name, ...template }) => (
        <li key={name}>
          <Button
            size="small"
            look="quiet"
            className="w-full justify-start! font-mono"
            aria-pressed={chosen === name}
            title={seenWords(templateAbout(template))}
            onClick={() => onChoose(name)}
          >
            /{seenName(name)}
          </Button>
        </li>
      ))}
    </ul>
  );
}

interface TemplateFormProps {
  /** Null: a new one. */
  readonly template: PromptTemplate | null;
  readonly isRefused: boolean;
  readonly onSaved: (name: string | null) => void;
  readonly onClose: () => void;
}

function TemplateForm({ template, isRefused, onSaved, onClose }: TemplateFormProps) {
  const client = useClient();
  const queries = useQueryClient();
  const [name, setName] = useState(template?.name ?? '');
  const [text, setText] = useState(template?.text ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (work: () => Promise<void>, next: string | null): Promise<void> => {
    setProblem(null);
    try {
      await work();
      await queries.invalidateQueries({ queryKey: ['templates'] });
      onSaved(next);
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  const save = async (): Promise<void> => {
    await client.templates.save({ name, text });
    if (template !== null && template.name !== name) await client.templates.remove({ name: template.name });
  };
  const remove = async (): Promise<void> => {
    if (template === null) return;
    await client.templates.remove({ name: template.name });
    offerUndo(t('templates.removed', { name: template.name }), async () => {
      await client.templates.save(template);
      await queries.invalidateQueries({ queryKey: ['templates'] });
    });
  };
  const isEmpty = name === '' || text.trim() === '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(save, name);
  };
  return (
    <form aria-label={t('templates.form')} onSubmit={submit} className="flex min-w-0 flex-col gap-3">
      <InputField
        disabled={isRefused}
        label={t('templates.name')}
        hint={t('templates.nameHint')}
        type="text"
        value={name}
        spellCheck={false}
        onText={(next) => setName(next.replace(/^\//u, ''))}
      />
      <Field label={t('templates.text')} hint={t('templates.textHint')}>
        {(ids) => (
          <textarea
            {...ids}
            disabled={isRefused}
            rows={9}
            maxLength={mostTemplateCharacters}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className={`${inputClass} h-auto! resize-y py-1.5`}
          />
        )}
      </Field>
      {problem !== null && <Problem text={problem} />}
      <div className="flex flex-wrap items-center gap-2">
        {!isRefused && template !== null && (
          <Button size="small" look="danger" onClick={() => void run(remove, null)}>
            {t('templates.remove')}
          </Button>
        )}
        <span className="flex-1" />
        <Button size="small" onClick={onClose}>
          {t('templates.close')}
        </Button>
        <Button size="small" type="submit" look="primary" hidden={isRefused} disabled={isEmpty}>
          {t('templates.save')}
        </Button>
      </div>
    </form>
  );
}
