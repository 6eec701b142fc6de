import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { failureText } from '../../lib/connection/failure-text.ts';
import { tokens } from '../../lib/text/format.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { readStoredText } from '../../lib/window/stored-value.ts';
import { useProjectNames } from '../../lib/window/use-projects.ts';
import { Empty } from '../../ui/layout/facts.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import { NewServer } from './new-server.tsx';
import { OwnTools, useOwnTools } from './own-tools.tsx';
import { ServerCard } from './server-card.tsx';
import type { ToolDraft } from './tool-draft.ts';
import { keptDraft } from './tool-draft.ts';
import { ToolEditor } from './tool-editor.tsx';
import { draftKey } from './use-tool-draft.ts';
import { useToolServers } from './use-tool-servers.ts';
import { Select } from '../../ui/controls/select.tsx';

/** Sources of tools that are not built in: what each may do and uses, and what is on in which project. */
export default function ToolsView({ projects }: { readonly projects: readonly string[] }) {
  const [project, setProject] = useState<string | null>(null);
  const { query, isRefused } = useToolServers(project);
  const own = useOwnTools(project);
  const [editing, setEditing] = useState<ToolDraft | null>(() => keptDraft(readStoredText(draftKey)));
  const servers = query.data ?? [];
  const isEmpty = query.data?.length === 0;
  const on = servers.filter(({ isOn, isApproved }) => isOn && isApproved).flatMap(({ tools }) => tools);
  const offered = [...on, ...(own.data?.tools ?? [])].filter(({ isOn }) => isOn);
  const together = offered.reduce((sum, tool) => sum + tool.tokens, 0);
  if (editing !== null && !isRefused)
    return (
      <Page>
        <ToolEditor first={editing} onClose={() => setEditing(null)} />
      </Page>
    );
  return (
    <Page>
      <ViewHeader title={t('tools.title')} text={t('tools.text')} />
      {isRefused && <ViewOnly text={t('tools.refused')} />}
      {query.error !== null && <Problem text={failureText(query.error)} onRetry={query.refetch} />}
      {query.data === undefined && query.error === null && <Empty>{t('tools.loading')}</Empty>}
      {isEmpty && <p className="text-sm text-soft">{t(isRefused ? 'tools.empty.refused' : 'tools.empty')}</p>}
      {(offered.length > 0 || servers.length > 0 || projects.length > 0) && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-sm text-soft">{plural('tools.total', offered.length, { tokens: tokens(together) })}</p>
          {projects.length > 0 && <Scope projects={projects} project={project} onProject={setProject} />}
        </div>
      )}
      {servers.map((server) => (
        <ServerCard
          key={server.name}
          server={server}
          project={project}
          isRefused={isRefused}
          readAt={query.dataUpdatedAt}
        />
      ))}
      <OwnTools
        query={own}
        project={project}
        isRefused={isRefused}
        hasProjects={projects.length > 0}
        onEdit={setEditing}
      />
      {query.data !== undefined &&
        !isRefused &&
        (isEmpty ? (
          <NewServer />
        ) : (
          <Fold label={t('tools.add')}>
            <div className="pt-3">
              <NewServer />
            </div>
          </Fold>
        ))}
    </Page>
  );
}

function Page({ children }: { readonly children: ReactNode }) {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-5 px-5 py-8">{children}</div>
    </div>
  );
}

interface ScopeProps {
  readonly projects: readonly string[];
  readonly project: string | null;
  readonly onProject: (project: string | null) => void;
}

function Scope({ projects, project, onProject }: ScopeProps) {
  const projectName = useProjectNames(projects);
  const id = useId();
  return (
    <div className="flex min-w-0 items-center gap-2">
      <label htmlFor={id} className="text-sm text-soft">
        {t('tools.scope')}
      </label>
      <Select
        id={id}
        value={project ?? ''}
        className="max-w-56"
        onChange={({ target }) => onProject(target.value === '' ? null : target.value)}
      >
        <option value="">{t('tools.scope.all')}</option>
        {projects.map((path) => (
          <option key={path} value={path}>
            {projectName(path)}
          </option>
        ))}
      </Select>
    </div>
  );
}
