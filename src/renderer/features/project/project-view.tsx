import { useState, type ReactNode } from 'react';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { folderName, money } from '../../lib/text/format.ts';
import { useNavigate } from '../../lib/window/navigation.ts';
import { t } from '../../lib/text/translate.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Empty } from '../../ui/layout/facts.tsx';
import { Icon } from '../../ui/layout/icon.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { ViewOnly } from '../../ui/notices/view-only.tsx';
import { PreparePackages } from '../../ui/project/prepare-packages.tsx';
import { ProjectHosts } from '../../ui/project/project-hosts.tsx';
import { ReceiptLink } from '../../ui/figures/receipt-link.tsx';
import { ViewHeader } from '../../ui/layout/view-header.tsx';
import { focusField, InputField } from '../../ui/controls/field.tsx';
import { Group } from '../../ui/controls/settings-parts.tsx';
import { ProjectFolders } from './project-folders.tsx';
import { ProjectCalibration } from './project-calibration.tsx';
import { ProjectInstructions } from './project-instructions.tsx';
import { ProjectKnowledge } from './project-knowledge.tsx';
import { ProjectMemory } from './project-memory.tsx';
import { ProjectRepository } from './project-repository.tsx';
import { ProjectSkills } from './project-skills.tsx';
import { ProjectImage } from './project-image.tsx';
import { ProjectModels } from './project-models.tsx';
import { ProjectVariables } from './project-variables.tsx';
import { OwnInstructions } from './own-instructions.tsx';
import { GiveFolder, ProjectIdentity } from './project-identity.tsx';
import { ProjectTalks, TalkDefaults } from './project-talks.tsx';
import { ProjectSign } from '../../ui/project/project-sign.tsx';
import { useProjectPage, type PageHandle } from './use-project-page.ts';
import type { ProjectHandle } from './use-project.ts';
import { useProject } from './use-project.ts';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../lib/connection/core-context.ts';
import { MoneyCap } from '../../ui/figures/money-cap.tsx';

interface ProjectViewProps {
  readonly projectPath: string;
  /** The prompts that the user keeps with it. */
  readonly prompts: ReactNode;
  /** The project's rules, for users who may change them. */
  readonly rules: ReactNode;
}

/** One project: its own settings, and the files that it brings along. */
export default function ProjectView({ projectPath, prompts, rules }: ProjectViewProps) {
  const { handle, error, readAgain } = useProject(projectPath);
  const page = useProjectPage(projectPath);
  const head = page.page?.head ?? null;
  const name = head?.name ?? null;
  const unnamed = hasNoFolder(projectPath) ? t('project.unnamed') : folderName(projectPath);
  const shown = name === null ? unnamed : seenName(name);
  const navigate = useNavigate();
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-5 py-8">
        <ViewHeader
          title={shown}
          sign={<ProjectSign icon={head?.icon ?? null} name={shown} hasFolder={!hasNoFolder(projectPath)} isLarge />}
          text={<About projectPath={projectPath} />}
        >
          <Button onClick={() => navigate({ type: 'new', project: projectPath })}>
            <Icon name="plus" /> {t('project.task')}
          </Button>
        </ViewHeader>
        {error !== null && <Problem text={`${t('project.failed')} ${failureText(error)}`} onRetry={readAgain} />}
        {handle === null && error === null && <Empty>{t('project.loading')}</Empty>}
        {handle !== null && <Parts project={handle} {...{ page, prompts, rules }} />}
      </div>
    </div>
  );
}

function About({ projectPath }: Pick<ProjectViewProps, 'projectPath'>) {
  if (hasNoFolder(projectPath)) return <p>{t('project.talksOnly')}</p>;
  return (
    <>
      <p className="font-mono text-xs wrap-anywhere">{folderText(projectPath)}</p>
      <p className="mt-1">{t('project.task.text')}</p>
    </>
  );
}

interface PartsProps {
  readonly project: ProjectHandle;
  readonly page: PageHandle;
  readonly prompts: ReactNode;
  readonly rules: ReactNode;
}

/** What every project has, then what comes with a folder. */
function Parts({ project, page, prompts, rules }: PartsProps) {
  const { projectPath, settings, isRefused } = project;
  const hasFolder = !hasNoFolder(projectPath);
  return (
    <>
      {settings.missing !== undefined && <Missing {...settings.missing} handle={isRefused ? null : page} />}
      {isRefused && <ViewOnly text={t('project.refused')} />}
      <OwnInstructions handle={page} />
      <TalkDefaults handle={page} />
      <ProjectKnowledge projectPath={projectPath} />
      <ProjectFolders project={project} />
      <ProjectModels project={project} />
      {prompts}
      <ProjectTalks project={projectPath} />
      <ProjectMemory projectPath={projectPath} />
      <ProjectCaps projectPath={projectPath} />
      <Group title={t('receipt.title')}>
        <p className="text-sm text-soft">{t('receipt.open.project')}</p>
        <ReceiptLink about={{ type: 'project', project: projectPath }} />
      </Group>
      {hasFolder && <FolderParts project={project} rules={rules} />}
      <ProjectIdentity project={projectPath} handle={page} />
    </>
  );
}

interface MissingProps {
  readonly text: string;
  readonly isGone: boolean;
  /** Null: nothing can be changed from here. */
  readonly handle: PageHandle | null;
}

/** The folder is gone or cannot be read. One that was moved can be pointed to. */
function Missing({ text, isGone, handle }: MissingProps) {
  return (
    <>
      <Notice kind="warning">
        <p>{seenWords(text)}</p>
        <p>{t(isGone ? 'project.gone' : 'project.blocked')}</p>
      </Notice>
      {isGone && handle !== null && <GiveFolder isMoved handle={handle} />}
    </>
  );
}

function FolderParts({ project, rules }: Pick<PartsProps, 'project' | 'rules'>) {
  const { projectPath } = project;
  return (
    <>
      <ProjectRepository projectPath={projectPath} />
      <ProjectCalibration projectPath={projectPath} />
      <Group title={t('project.rules')}>{rules}</Group>
      <ProjectInstructions projectPath={projectPath} />
      <ProjectSkills projectPath={projectPath} />
      <ProjectImage project={project} />
      <TestCommand project={project} />
      <ProjectVariables project={project} />
      <Group title={t('project.packages')}>
        <PreparePackages projectPath={projectPath} />
      </Group>
      <Group title={t('project.hosts')}>
        <ProjectHosts projectPath={projectPath} />
      </Group>
    </>
  );
}

/** The command that runs the project's tests, for checks and agents. Empty: the one that is found in the project. */
function TestCommand({ project: { settings, isRefused, change } }: { readonly project: ProjectHandle }) {
  const kept = settings.testCommand ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const command = (typed ?? kept).trim();
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (!(await change({ type: 'test-command', command: command === '' ? null : command }))) return;
    setTyped(null);
    focusField(form);
  };
  return (
    <Group title={t('project.testCommand')}>
      <form
        className="flex items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save(event.currentTarget);
        }}
      >
        <InputField
          label={t('project.testCommand.label')}
          hint={t('project.testCommand.hint')}
          className="flex-1"
          spellCheck={false}
          maxLength={1000}
          disabled={isRefused}
          value={typed ?? kept}
          onText={setTyped}
        />
        {!isRefused && (
          <Button type="submit" className="mb-6" disabled={command === kept}>
            {t('project.testCommand.save')}
          </Button>
        )}
      </form>
    </Group>
  );
}

/** The project's spending limit, beside what was spent. */
export function ProjectCaps({ projectPath }: { readonly projectPath: string }) {
  const client = useClient();
  const costs = useQuery({
    queryKey: ['costs', 'project', projectPath],
    queryFn: ({ signal }) => client.costs({ by: 'day', project: projectPath }, { signal }),
  });
  const total = costs.data?.total ?? null;
  return (
    <Group title={t('project.caps')}>
      <p className="text-sm text-soft">{t('project.caps.text')}</p>
      {total !== null && (
        <p className="text-sm tabular-nums">
          {t(total.unpricedCalls > 0 ? 'project.caps.spentUnpriced' : 'project.caps.spent', {
            money: money(total.costUsd),
          })}
        </p>
      )}
      <MoneyCap scope="project" projectPath={projectPath} />
      <p className="text-sm text-soft">{t('project.caps.all')}</p>
      {(['step', 'task', 'session', 'day', 'month'] as const).map((scope) => (
        <MoneyCap key={scope} scope={scope} />
      ))}
    </Group>
  );
}
