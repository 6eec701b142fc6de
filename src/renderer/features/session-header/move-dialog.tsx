import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { namesApart } from '@shared/projects/project-list.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { t } from '../../lib/text/translate.ts';
import { useProjects } from '../../lib/window/use-projects.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { DialogFrame } from '../../ui/layout/dialog-frame.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';

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
  const target = chosen ?? now ?? '';
  const project = target === '' ? null : target;
  const preview = useQuery({
    queryKey: ['move', sessionId, project],
    queryFn: ({ signal }) => client.sessions.movePreview({ sessionIds: [sessionId], project }, { signal }),
    enabled: sessions.data !== undefined,
    staleTime: 0,
  });
  const [problem, setProblem] = useState<string | null>(null);
  const { refused = null, changes = [] } = preview.data?.[0] ?? {};
  const names = namesApart(projects);
  const named = projects.find(({ path }) => path === project);
  const moveTo = async (to: string | null): Promise<void> => {
    const { refused: left } = await client.sessions.move({ sessionIds: [sessionId], project: to });
    const [first] = left;
    if (first !== undefined) throw new Error(first.why);
  };
  const move = async (): Promise<void> => {
    setProblem(null);
    try {
      await moveTo(project);
    } catch (error) {
      setProblem(failureText(error));
      return;
    }
    const said = named === undefined ? t('move.out') : t('move.done', { name: seenName(named.name) });
    offerUndo(said, () => moveTo(now));
    onClose();
  };
  return (
    <DialogFrame title={t('move.title')} about={t('move.about')} onClose={onClose}>
      <Field label={t('move.project')}>
        {(ids) => (
          <Select {...ids} value={target} onChange={({ target: { value } }) => setChosen(value)}>
            <option value="">{t('move.none')}</option>
            {projects.map((one) => (
              <option key={one.path} value={one.path}>
                {seenName(names.get(one.path) ?? one.name)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {projects.length === 0 && sessions.data !== undefined && <p className="text-soft">{t('move.noProjects')}</p>}
      {refused !== null && <Notice kind="info">{seenWords(refused)}</Notice>}
      {target !== (now ?? '') && <Changes changes={changes} />}
      {problem !== null && <Problem text={problem} />}
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={onClose}>
          {t('move.cancel')}
        </Button>
        <Button
          size="small"
          look="primary"
          disabled={refused !== null || target === (now ?? '') || preview.data === undefined}
          onClick={() => void move()}
        >
          {t('move.move')}
        </Button>
      </div>
    </DialogFrame>
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
