import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SkillReport } from '@shared/skills/skill-report.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureCode, failureText } from '../../lib/connection/failure-text.ts';
import { useIsCommandRefused, useIsWindow } from '../../lib/connection/use-host-info.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, inputClass } from '../../ui/controls/field.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { TextWithCode } from '../../ui/notices/text-with-code.tsx';
import { InstructionFileNow } from '../../ui/project/instruction-file.tsx';

interface InProject {
  readonly projectPath: string;
}

/** The skills that agents may use in the project: its own, and those of the user's home. */
export function ProjectSkills({ projectPath }: InProject) {
  const client = useClient();
  const found = useQuery({
    queryKey: ['skills', projectPath],
    queryFn: ({ signal }) => client.skills.list({ projectPath }, { signal }),
    staleTime: 0,
  });
  const none = found.data?.skills.length === 0;
  return (
    <Group title={t('project.skills')}>
      {found.error !== null && <Notice kind="warning">{failureText(found.error)}</Notice>}
      {found.data !== undefined && (
        <p className="text-sm text-soft wrap-anywhere">
          {none ? t('project.skills.none', { folder: folderText(found.data.folder) }) : t('project.skills.text')}
        </p>
      )}
      <Adding />
      <ul className="flex flex-col gap-3 text-sm empty:hidden">
        {found.data?.skills.map((skill) => (
          <Row key={`${skill.where} ${skill.path}`} skill={skill} projectPath={projectPath} />
        ))}
      </ul>
    </Group>
  );
}

/** Copies a folder with a skill for all projects. */
function Adding() {
  const client = useClient();
  const queries = useQueryClient();
  const isRefused = useIsCommandRefused('skills.add');
  const isWindow = useIsWindow();
  const [failed, setFailed] = useState<{ readonly text: string; readonly taken: string | null } | null>(null);
  const add = async (path: string, replace: boolean): Promise<void> => {
    setFailed(null);
    try {
      await client.skills.add({ path, replace });
      await queries.invalidateQueries({ queryKey: ['skills'] });
      await queries.invalidateQueries({ queryKey: ['templates'] });
    } catch (error) {
      const isTaken = failureCode(error) === 'conflict';
      setFailed({ text: failureText(error), taken: isTaken ? path : null });
    }
  };
  const choose = async (): Promise<void> => {
    try {
      const { path } = await client.host.chooseFolder();
      if (path !== null) await add(path, false);
    } catch (error) {
      setFailed({ text: failureText(error), taken: null });
    }
  };
  if (isRefused || !isWindow)
    return (
      <p className="text-sm text-soft">
        <TextWithCode text={t('project.skills.refused')} />
      </p>
    );
  const taken = failed?.taken ?? null;
  return (
    <>
      <Button className="w-fit" onClick={() => void choose()}>
        <Icon name="plus" /> {t('project.skills.add')}
      </Button>
      {failed !== null && <Problem text={failed.text} />}
      {taken !== null && (
        <Button size="small" className="w-fit" onClick={() => void add(taken, true)}>
          {t('project.skills.replace')}
        </Button>
      )}
    </>
  );
}

const looks = { on: 'text-good', off: 'text-soft', new: 'text-soft', changed: 'text-warn', unfit: 'text-bad' } as const;

function Row({ skill, projectPath }: InProject & { readonly skill: SkillReport }) {
  const { name, description, state, problem, where, path, isOwn, isAdded = false, warnings, narrowsTo } = skill;
  const client = useClient();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isRefused = useIsCommandRefused('skills.enable');
  const [open, setOpen] = useState<'approve' | 'edit' | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const say = async (work: () => Promise<unknown>): Promise<void> => {
    setFailed(null);
    await work().catch((error: unknown) => setFailed(failureText(error)));
    await queries.invalidateQueries({ queryKey: ['skills'] });
    await queries.invalidateQueries({ queryKey: ['templates'] });
  };
  const isWaiting = state === 'new' || state === 'changed';
  const toggle = (what: 'approve' | 'edit') => () => setOpen(open === what ? null : what);
  return (
    <li className="flex flex-col gap-1" data-skill={name}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 font-mono text-xs font-semibold wrap-anywhere">{seenName(name)}</span>
        <span className={`text-xs font-semibold ${looks[state]}`}>{t(`project.skills.${state}`)}</span>
        {state === 'on' && (
          <Button
            size="small"
            look="quiet"
            onClick={() => navigate({ type: 'new', project: projectPath, text: `/${name} ` })}
          >
            {t('project.skills.try')}
          </Button>
        )}
        {!isRefused && isOwn && (
          <Button size="small" aria-expanded={open === 'edit'} onClick={toggle('edit')}>
            {t('project.skills.edit')}
          </Button>
        )}
        {!isRefused && where === 'project' && state !== 'unfit' && (
          <Button size="small" aria-expanded={open === 'approve'} onClick={toggle('approve')}>
            {t('context.instructions.show')}
          </Button>
        )}
        {!isRefused && (state === 'on' || state === 'off') && (
          <Button
            size="small"
            onClick={() => void say(() => client.skills[state === 'on' ? 'disable' : 'enable']({ projectPath, name }))}
          >
            {t(state === 'on' ? 'project.skills.disable' : 'project.skills.enable')}
          </Button>
        )}
        {isAdded && <Remove name={name} onClick={() => void say(() => client.skills.remove({ name }))} />}
      </div>
      <p className="text-sm text-soft wrap-anywhere">{seenWords(problem ?? description)}</p>
      {narrowsTo !== null && (
        <p className="text-xs text-soft wrap-anywhere">
          {t('project.skills.narrows', { tools: seenWords(narrowsTo) })}
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="text-xs text-warn wrap-anywhere">
          {seenWords(warning)}
        </p>
      ))}
      {isWaiting && <p className="text-xs text-soft">{t('project.skills.waits')}</p>}
      {failed !== null && <Problem text={failed} />}
      {open === 'approve' && (
        <InstructionFileNow projectPath={projectPath} path={path} onSaid={() => void say(async () => undefined)} />
      )}
      {open === 'edit' && <Editor name={name} projectPath={projectPath} onSaved={() => setOpen(null)} />}
    </li>
  );
}

/** Removes the copy of a skill that was added. */
function Remove({ name, onClick }: { readonly name: string; readonly onClick: () => void }) {
  if (useIsCommandRefused('skills.remove')) return null;
  const label = t('project.skills.removeOne', { name: seenName(name) });
  return (
    <Button size="small" look="quiet" aria-label={label} onClick={onClick}>
      {t('project.skills.remove')}
    </Button>
  );
}

interface EditorProps extends InProject {
  readonly name: string;
  readonly onSaved: () => void;
}

/** The `SKILL.md` of a skill of the user's own folder. */
function Editor({ name, projectPath, onSaved }: EditorProps) {
  const client = useClient();
  const queries = useQueryClient();
  const shown = useQuery({
    queryKey: ['skills', projectPath, name],
    queryFn: ({ signal }) => client.skills.show({ projectPath, name }, { signal }),
    staleTime: 0,
  });
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  if (shown.error !== null) return <Problem text={failureText(shown.error)} onRetry={shown.refetch} />;
  if (shown.data === undefined) return null;
  const text = typed ?? shown.data.text;
  const save = async (): Promise<void> => {
    setProblem(null);
    try {
      await client.skills.save({ name, text, replace: true });
      await queries.invalidateQueries({ queryKey: ['skills'] });
      onSaved();
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label={t('project.skills.file')} problem={problem}>
        {(ids) => (
          <textarea
            {...ids}
            rows={14}
            spellCheck={false}
            value={text}
            onChange={(event) => setTyped(event.target.value)}
            className={`${inputClass} resize-y font-mono text-xs`}
          />
        )}
      </Field>
      <Button type="submit" size="small" className="w-fit">
        {t('project.skills.save')}
      </Button>
    </form>
  );
}
