import { useState } from 'react';
import { iconColors, hasNoFolder, longestProjectName, type IconColor } from '@shared/projects/project-keys.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { announce } from '../../lib/notices/announce.ts';
import { canDraw } from '../../lib/drawing/can-draw.ts';
import { offerUndo } from '../../lib/notices/offer-undo.ts';
import { folderName } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, focusField, InputField } from '../../ui/controls/field.tsx';
import { FolderField } from '../../ui/controls/folder-field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { DialogFrame } from '../../ui/layout/dialog-frame.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import type { PageHandle } from './use-project-page.ts';

interface IdentityProps {
  readonly project: string;
  readonly handle: PageHandle;
}

/** How a project is called and shown, its folder, and the way to delete it. */
export function ProjectIdentity({ project, handle }: IdentityProps) {
  const { page, isRefused, say } = handle;
  const problem = handle.problemOf('name', 'icon');
  const head = page?.head ?? null;
  const kept = { name: head?.name ?? '', sign: head?.icon?.text ?? '', color: head?.icon?.color ?? ('gray' as const) };
  const [typed, setTyped] = useState<Partial<typeof kept>>({});
  const { name, sign, color } = { ...kept, ...typed };
  const isSame = name.trim() === kept.name && sign.trim() === kept.sign && color === kept.color;
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (name.trim() !== kept.name && !(await say({ type: 'name', name }))) return;
    const icon = sign.trim() === '' ? null : { text: sign.trim(), color };
    const isNew = sign.trim() !== kept.sign || color !== kept.color;
    if (isNew && !(await say({ type: 'icon', icon }))) return;
    setTyped({});
    focusField(form);
  };
  return (
    <Group title={t('project.identity')}>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save(event.currentTarget);
        }}
      >
        <InputField
          isProse
          label={t('project.name')}
          className="min-w-48 flex-1"
          maxLength={longestProjectName}
          placeholder={hasNoFolder(project) ? '' : folderName(project)}
          disabled={isRefused}
          value={name}
          onText={(text) => setTyped({ ...typed, name: text })}
        />
        <InputField
          isProse
          label={t('project.icon')}
          className="w-24"
          maxLength={32}
          placeholder={canDraw('📚') ? '📚' : 'A'}
          disabled={isRefused}
          value={sign}
          onText={(text) => setTyped({ ...typed, sign: text })}
        />
        <Field label={t('project.color')} className="w-28">
          {(ids) => (
            <Select
              {...ids}
              disabled={isRefused || !/^[\p{L}\p{N}]/u.test(sign)}
              value={color}
              onChange={({ target }) => setTyped({ ...typed, color: colorOf(target.value) })}
            >
              {iconColors.map((one) => (
                <option key={one} value={one}>
                  {t(`project.color.${one}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {!isRefused && (
          <Button type="submit" disabled={isSame || (name.trim() === '' && kept.name !== '')}>
            {t('project.identity.save')}
          </Button>
        )}
      </form>
      {problem !== null && <Problem text={problem} />}
      {hasNoFolder(project) && !isRefused && <GiveFolder handle={handle} />}
      {head !== null && !isRefused && <DeleteProject project={project} name={head.name ?? folderName(project)} />}
    </Group>
  );
}

function colorOf(value: string): IconColor {
  return iconColors.find((one) => one === value) ?? 'gray';
}

interface GiveFolderProps {
  readonly handle: PageHandle;
  /** Its folder was moved: what is kept for it goes along. */
  readonly isMoved?: boolean;
}

/** The page moves along to the new key of the project. A browser may not choose folders of the machine. */
export function GiveFolder({ handle: { say, problemOf }, isMoved = false }: GiveFolderProps) {
  const navigate = useNavigate();
  const isWindow = useIsWindow();
  const problem = problemOf('folder');
  const [folder, setFolder] = useState('');
  const give = async (): Promise<void> => {
    if (await say({ type: 'folder', path: folder.trim() })) navigate({ type: 'project', path: folder.trim() });
  };
  if (!isWindow) return <ViewOnly text={t('project.folder.refused')} />;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-start gap-3">
        <div className="flex-1">
          <FolderField
            label={t(isMoved ? 'project.folder.now' : 'project.folder')}
            hint={t(isMoved ? 'project.folder.now.hint' : 'project.folder.hint')}
            folder={folder}
            known={[]}
            onChange={setFolder}
          />
        </div>
        <Button className="mt-6.5" disabled={folder.trim() === ''} onClick={() => void give()}>
          {t(isMoved ? 'project.folder.move' : 'project.folder.give')}
        </Button>
      </div>
      {problem !== null && <Problem text={problem} />}
    </div>
  );
}

function DeleteProject({ project, name }: { readonly project: string; readonly name: string }) {
  const client = useClient();
  const navigate = useNavigate();
  const [removal, setRemoval] = useState<{ readonly lost: readonly string[]; readonly kept: readonly string[] } | null>(
    null,
  );
  const [problem, setProblem] = useState<string | null>(null);
  const ask = async (): Promise<void> => {
    try {
      setRemoval(await client.projects.removal({ project }));
    } catch (error) {
      announce({ kind: 'error', text: failureText(error) });
    }
  };
  const remove = async (): Promise<void> => {
    try {
      const { id } = await client.projects.remove({ project });
      setRemoval(null);
      if (id !== null) offerUndo(t('project.deleted', { name: seenName(name) }), () => client.projects.restore({ id }));
      navigate({ type: 'new' });
    } catch (error) {
      setProblem(failureText(error));
    }
  };
  return (
    <>
      <div>
        <Button onClick={() => void ask()}>{t('project.delete')}</Button>
      </div>
      {removal !== null && (
        <DialogFrame
          title={t('project.delete.title', { name: seenName(name) })}
          about={t('project.delete.about')}
          onClose={() => setRemoval(null)}
        >
          <Listed title={t('project.delete.lost')} items={removal.lost} />
          <Listed title={t('project.delete.kept')} items={removal.kept} />
          {problem !== null && <Problem text={problem} />}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setRemoval(null)}>{t('project.delete.cancel')}</Button>
            <Button look="danger" onClick={() => void remove()}>
              {t('project.delete')}
            </Button>
          </div>
        </DialogFrame>
      )}
    </>
  );
}

function Listed({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <div>
      <h2 className="font-semibold">{title}</h2>
      <ul className="list-disc pl-5">
        {items.map((item) => (
          <li key={item} className="wrap-anywhere">
            {seenWords(item)}
          </li>
        ))}
      </ul>
    </div>
  );
}
