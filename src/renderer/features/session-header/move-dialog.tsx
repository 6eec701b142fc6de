import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { longestProjectName } from '@shared/projects/project-keys.ts';
import { type ListedProject, namesApart } from '@shared/projects/project-list.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useWork } from '../../lib/connection/use-work.ts';
import { useIsCommandRefused } from '../../lib/connection/use-host-info.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useProjects } from '../../lib/window/use-projects.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, InputField } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { DialogFrame } from '../../ui/layout/dialog-frame.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

/** In place of the key of a project: one that does not exist yet. */
const unmade = 'new';

interface MoveDialogProps {
  readonly sessionId: string;
  readonly onClose: () => void;
}

/** Moves a talk into a project or out of it. Says before what that changes. */
export default function MoveDialog({ sessionId, onClose }: MoveDialogProps) {
  const client = useClient();
  const sessions = useQuery({
    queryKey: ['move', 'sessions'],
    queryFn: ({ signal }) => client.sessions.list(undefined, { signal }),
    staleTime: 0,
  });
  const projects = useProjects(sessions.data ?? []);
  const now = sessions.data?.find((one) => one.sessionId === sessionId)?.project ?? null;
  /** Null: not chosen yet. Empty: out of all. */
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const canMake = !useIsCommandRefused('projects.create');
  const isFirst = sessions.data !== undefined && projects.length === 0;
  const target = chosen ?? now ?? (isFirst && canMake ? unmade : '');
  const isNew = target === unmade;
  const project = target === '' || isNew ? null : target;
  const preview = useQuery({
    queryKey: ['move', sessionId, project, isNew],
    queryFn: ({ signal }) => client.sessions.movePreview({ sessionIds: [sessionId], project, isNew }, { signal }),
    enabled: sessions.data !== undefined,
    staleTime: 0,
  });
  const { refused = null, changes = [] } = preview.data?.[0] ?? {};
  const isStill = isNew ? name.trim() === '' : target === (now ?? '');
  const isAllowed = refused === null && !isStill && preview.data !== undefined;
  const named = projects.find(({ path }) => path === project);
  const into = isNew ? name.trim() : named?.name;
  const unread = [sessions, preview].find(({ error }) => error !== null);
  const { work, moveTo } = useMove(sessionId);
  const move = async (): Promise<void> => {
    const isMoved = await work.run(async () => {
      const made = isNew ? (await client.projects.create({ name })).key : null;
      // A move that fails is tried again into the project that is there now.
      if (made !== null) setChosen(made);
      await moveTo(made ?? project);
    });
    if (!isMoved) return;
    offerUndo(into === undefined ? t('move.out') : t('move.done', { name: seenName(into) }), () => moveTo(now));
    onClose();
  };
  return (
    <DialogFrame title={t('move.title')} about={t('move.about')} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isAllowed && !work.isBusy) void move();
        }}
      >
        <ProjectChoice {...{ projects, target, canMake }} onTarget={setChosen} />
        {isNew && (
          <InputField isProse label={t('project.name')} maxLength={longestProjectName} value={name} onText={setName} />
        )}
        {refused !== null && <Notice kind="info">{seenWords(refused)}</Notice>}
        {!isStill && <Changes changes={changes} />}
        {unread !== undefined && <Problem text={failureText(unread.error)} onRetry={() => unread.refetch()} />}
        {work.problem !== null && <Problem text={work.problem} />}
        <div className="flex justify-end gap-2">
          <Button size="small" onClick={onClose}>
            {t('move.cancel')}
          </Button>
          <Button size="small" look="primary" disabled={!isAllowed || work.isBusy} type="submit">
            {t('move.move')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

/** Moves the talk. Rejects with the reason where it stays. */
function useMove(sessionId: string) {
  const client = useClient();
  const work = useWork('move');
  const moveTo = async (to: string | null): Promise<void> => {
    const { refused } = await client.sessions.move({ sessionIds: [sessionId], project: to });
    const [first] = refused;
    if (first !== undefined) throw new Error(first.why);
  };
  return { work, moveTo };
}

interface ProjectChoiceProps {
  readonly projects: readonly ListedProject[];
  readonly target: string;
  readonly canMake: boolean;
  readonly onTarget: (target: string) => void;
}

function ProjectChoice({ projects, target, canMake, onTarget }: ProjectChoiceProps) {
  const names = namesApart(projects);
  return (
    <Field label={t('move.project')}>
      {(ids) => (
        <Select {...ids} value={target} onChange={({ target: { value } }) => onTarget(value)}>
          <option value="">{t('move.none')}</option>
          {projects.map(({ path, name }) => (
            <option key={path} value={path}>
              {seenName(names.get(path) ?? name)}
            </option>
          ))}
          {canMake && <option value={unmade}>{t('move.new')}</option>}
        </Select>
      )}
    </Field>
  );
}

function Changes({ changes }: { readonly changes: readonly string[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5" aria-label={t('move.changes')}>
      {changes.map((change) => (
        <li key={change} className="wrap-anywhere">
          {seenWords(change)}
        </li>
      ))}
    </ul>
  );
}
