import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { seenName } from '@shared/text/seen-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { useProjects } from '../../lib/window/use-projects.ts';
import { t } from '../../lib/text/translate.ts';
import { Group } from '../../ui/controls/settings-parts.tsx';
import RulesEditor from './rules-editor.tsx';
import { Select } from '../../ui/controls/select.tsx';

/** The user's own rules, and those of each project with a session. */
export default function RulesSettings({ isWanted }: { readonly isWanted: boolean }) {
  const client = useClient();
  const [project, setProject] = useState<string | null>(null);
  const sessions = useQuery({
    queryKey: ['rules', 'projects'],
    queryFn: ({ signal }) => client.sessions.list(undefined, { signal }),
  });
  const projects = useProjects(sessions.data ?? []).flatMap(({ folder }) => folder ?? []);
  return (
    <Group title={t('rules.title')} isWanted={isWanted}>
      <p className="text-sm text-soft">{t('rules.about')}</p>
      <label className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
        {t('rules.whose')}
        <Select
          value={project ?? ''}
          onChange={({ target }) => setProject(target.value === '' ? null : target.value)}
          className="max-w-full"
        >
          <option value="">{t('rules.own')}</option>
          {projects.map((path) => (
            <option key={path} value={path}>
              {seenName(folderText(path))}
            </option>
          ))}
        </Select>
      </label>
      <RulesEditor projectPath={project} owner={project === null ? 'own' : 'project'} />
    </Group>
  );
}
