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

interface TemplateEditorProps {
  /** The key of the project whose templates are shown, too. Null: only those for everywhere. */
  readonly project: string | null;
  /** The template to begin with; absent: a new one. */
  readonly first?: PromptTemplate | undefined;
  /** A new one is for the project. */
  readonly isForProject?: boolean;
  readonly onClose: () => void;
}

/** The user's prompt templates: make, change and delete them here. `/NAME` in the field uses one. */
export default function TemplateEditor({ project, first, isForProject = false, onClose }: TemplateEditorProps) {
  const { templates: general, folder } = useTemplates(null);
  const { templates: all, projectFolder } = useTemplates(project);
  const ofProject = all.filter(({ isOfProject }) => isOfProject === true);
  const templates = [...ofProject, ...general.filter(({ from }) => from === undefined)];
  const [chosen, setChosen] = useState(first === undefined ? null : idOf(first));
  const isRefused = useIsCommandRefused('templates.save');
  const template = templates.find((one) => idOf(one) === chosen) ?? null;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Dialog.Portal>
        {/* The library's own overlay would add a style sheet, which the page's policy forbids. */}
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-ink/20 dark:bg-paper/60" />
        <Dialog.Content className="fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[min(44rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-y-auto rounded-xl border border-line bg-raised p-5 pr-2.5 text-sm shadow-float">
          <Dialog.Title className="text-xl font-semibold">{t('templates.title')}</Dialog.Title>
          <Dialog.Description className="mt-1 text-xs text-soft wrap-anywhere">
            {t('templates.about', { folder: folderText(folder) })}
            {projectFolder !== null && ` ${t('templates.about.project', { folder: folderText(projectFolder) })}`}
          </Dialog.Description>
          {isRefused && (
            <div className="mt-3">
              <ViewOnly text={t('templates.refused')} />
            </div>
          )}
          <div className="mt-4 grid gap-4 sm:grid-cols-[12rem_1fr]">
            <Names templates={templates} chosen={chosen} onChoose={setChosen} />
            <TemplateForm
              key={chosen ?? ''}
              {...{ template, project, isForProject, isRefused, onClose }}
              onSaved={setChosen}
            />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Two may have one name: one of the project, and one for everywhere. */
const idOf = ({ name, isOfProject }: Pick<PromptTemplate, 'name' | 'isOfProject'>): string =>
  `${isOfProject === true ? 'project' : ''}/${name}`;

interface NamesProps {
  readonly templates: readonly PromptTemplate[];
  readonly chosen: string | null;
  /** Null: a new one. */
  readonly onChoose: (id: string | null) => void;
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
      {templates.map((template) => (
        <li key={idOf(template)}>
          <Button
            size="small"
            look="quiet"
            className="w-full justify-start! font-mono"
            aria-pressed={chosen === idOf(template)}
            title={seenWords(templateAbout(template))}
            onClick={() => onChoose(idOf(template))}
          >
            /{seenName(template.name)}
            {template.isOfProject === true && (
              <span className="font-sans text-xs text-soft">{t('templates.ofProject')}</span>
            )}
          </Button>
        </li>
      ))}
    </ul>
  );
}

interface TemplateFormProps {
  /** Null: a new one. */
  readonly template: PromptTemplate | null;
  readonly project: string | null;
  readonly isForProject: boolean;
  readonly isRefused: boolean;
  readonly onSaved: (id: string | null) => void;
  readonly onClose: () => void;
}

function TemplateForm({ template, project, isForProject, isRefused, onSaved, onClose }: TemplateFormProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(template?.name ?? '');
  const [text, setText] = useState(template?.text ?? '');
  const isKeptHere = template?.isOfProject === true;
  const [isHere, setIsHere] = useState(template === null ? isForProject : isKeptHere);
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
  const change = useTemplateChanges({ template, before: isKeptHere ? project : null });
  const save = (): Promise<void> => change.save({ name, text, projectPath: isHere ? project : null });
  const isEmpty = name === '' || text.trim() === '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(save, idOf({ name, ...(isHere ? { isOfProject: true } : {}) }));
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
      {project !== null && <OnlyHere {...{ isHere, isRefused }} onChange={setIsHere} />}
      {problem !== null && <Problem text={problem} />}
      <div className="flex flex-wrap items-center gap-2">
        {!isRefused && template !== null && (
          <Button size="small" look="danger" onClick={() => void run(change.remove, null)}>
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

interface OnlyHereProps {
  readonly isHere: boolean;
  readonly isRefused: boolean;
  readonly onChange: (isHere: boolean) => void;
}

function OnlyHere({ isHere, isRefused, onChange }: OnlyHereProps) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={isHere}
        disabled={isRefused}
        onChange={({ target }) => onChange(target.checked)}
      />
      {t('templates.here')}
    </label>
  );
}

interface Kept {
  readonly template: PromptTemplate | null;
  /** The project that it is kept with until now. */
  readonly before: string | null;
}

/** Saves a template, which may get another name or place, and deletes it, with a way back. */
function useTemplateChanges({ template, before }: Kept) {
  const client = useClient();
  const queries = useQueryClient();
  const save = async (wanted: {
    readonly name: string;
    readonly text: string;
    readonly projectPath: string | null;
  }): Promise<void> => {
    const kept = template === null ? {} : { before: { name: template.name, projectPath: before } };
    await client.templates.save({ ...wanted, ...kept });
  };
  const remove = async (): Promise<void> => {
    if (template === null) return;
    const { name, text } = template;
    await client.templates.remove({ name, projectPath: before });
    offerUndo(t('templates.removed', { name }), async () => {
      await client.templates.save({ name, text, projectPath: before });
      await queries.invalidateQueries({ queryKey: ['templates'] });
    });
  };
  return { save, remove };
}
