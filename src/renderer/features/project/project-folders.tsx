import type { FormEvent } from 'react';
import { useState } from 'react';
import { useIsWindow } from '../../lib/connection/use-host-info.ts';
import { folderName } from '../../lib/text/format.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FolderField } from '../../ui/controls/folder-field.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import type { ProjectHandle } from './use-project.ts';

/** Folders outside the project whose documents are searched with it. */
export function ProjectFolders({ project }: { readonly project: ProjectHandle }) {
  const { settings, change } = project;
  const isWindow = useIsWindow();
  const isRefused = project.isRefused || !isWindow;
  const [folder, setFolder] = useState('');
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await change({ type: 'folder', path: folder.trim() })) setFolder('');
  };
  return (
    <Group title={t('project.folders')}>
      <p className="text-sm text-soft">{t('project.folders.text')}</p>
      {settings.folders.length === 0 && <p className="text-sm text-soft">{t('project.folders.none')}</p>}
      <ul className="flex flex-col gap-1.5 text-sm empty:hidden">
        {settings.folders.map((path) => (
          <li key={path} className="flex flex-wrap items-center gap-x-3" data-folder={path}>
            <span className="font-semibold wrap-anywhere">{folderName(path)}</span>
            <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{folderText(path)}</span>
            {!isRefused && (
              <Button
                size="small"
                look="quiet"
                aria-label={t('project.folders.removeOne', { name: folderName(path) })}
                onClick={() => void change({ type: 'no-folder', path })}
              >
                {t('project.folders.remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!isWindow && <ViewOnly text={t('project.folders.refused')} />}
      {!isRefused && (
        <form aria-label={t('project.folders')} onSubmit={(event) => void add(event)} className="flex flex-col gap-3">
          <FolderField
            label={t('project.folders.label')}
            hint={t('project.folders.hint')}
            folder={folder}
            known={[]}
            onChange={setFolder}
          />
          <Button type="submit" className="self-start" disabled={folder.trim() === ''}>
            {t('project.folders.add')}
          </Button>
        </form>
      )}
    </Group>
  );
}
