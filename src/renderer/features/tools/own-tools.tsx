import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { useQuery } from '@tanstack/react-query';
import type { OwnToolReport } from '@shared/tools/own-tool.ts';
import { seenLines, seenName, seenWords } from '@shared/text/seen-text.ts';
import { isOtherWriter, writerLine } from '@shared/tools/program-writer.ts';
import { folderText } from '../../lib/text/folder-text.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { clock, tokens } from '../../lib/text/format.ts';
import { t } from '../../lib/text/translate.ts';
import { SeenChange } from '../../ui/content/seen-change.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Fold } from '../../ui/layout/fold.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { KeptProgram } from './kept-program.tsx';
import { OnOff } from './on-off.tsx';
import { ToolKeys } from './tool-keys.tsx';
import type { ToolDraft } from './tool-draft.ts';
import { draftOf } from './tool-draft.ts';
import { inProject, useToolWork } from './use-tool-servers.ts';

/** Files may change in an editor outside Dewpoint, so the list is loaded again this often. */
const againMs = 4_000;

/** Tools from files as one project sees them; null: only the user's own. Listing them runs none. */
export function useOwnTools(projectPath: string | null) {
  const client = useClient();
  return useQuery({
    queryKey: ['tools', 'own', projectPath],
    queryFn: ({ signal }) => client.ownTools.list(inProject(projectPath), { signal }),
    staleTime: 0,
    refetchInterval: againMs,
    placeholderData: (last) => last,
  });
}

interface OwnToolsProps {
  readonly query: ReturnType<typeof useOwnTools>;
  /** Null: what applies to all projects. */
  readonly project: string | null;
  /** Read-only from here. */
  readonly isRefused: boolean;
  readonly hasProjects: boolean;
  readonly onEdit: (draft: ToolDraft) => void;
}

/** Each file of the tools folders: what it may do, and why it is not offered. */
export function OwnTools({ query, project, isRefused, hasProjects, onEdit }: OwnToolsProps) {
  const { data, error } = query;
  const client = useClient();
  const work = useToolWork();
  const begin = async (): Promise<void> => {
    const name = freeName(data?.tools.map((tool) => tool.name) ?? []);
    // A project without a folder has no place for a file, so it is one of the user's own.
    const projectPath = project === null || hasNoFolder(project) ? null : project;
    onEdit(draftOf(await client.ownTools.template({ name }), { replaces: null, projectPath }));
  };
  return (
    <section aria-label={t('tools.own.title')} className="flex flex-col gap-3 rounded-xl border border-line p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="font-semibold">{t('tools.own.title')}</h2>
        {!isRefused && (
          <Button size="small" disabled={work.isBusy} onClick={() => void work.run(begin)}>
            {t('toolEdit.add')}
          </Button>
        )}
      </div>
      {work.problem !== null && <Problem text={work.problem} />}
      {error !== null && <Problem text={failureText(error)} onRetry={query.refetch} />}
      {data?.folders.map((folder) => (
        <p key={folder} className="font-mono text-xs text-soft wrap-anywhere">
          {seenName(folderText(folder))}
        </p>
      ))}
      {data?.problems.map((problem) => (
        <Problem key={problem} text={seenWords(problem)} />
      ))}
      {data?.tools.length === 0 && (
        <p className="text-sm text-soft">{t(isRefused ? 'tools.own.empty.refused' : 'tools.own.empty')}</p>
      )}
      {project === null && hasProjects && <p className="text-sm text-soft">{t('tools.own.choose')}</p>}
      {data !== undefined && data.tools.length > 0 && (
        <ul className="flex flex-col divide-y divide-line">
          {data.tools.map((tool) => (
            <OwnTool
              key={tool.path}
              tool={tool}
              project={project}
              isRefused={isRefused}
              readAt={query.dataUpdatedAt}
              onEdit={onEdit}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** A free name for a new tool. */
function freeName(names: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? 'my_tool' : `my_tool_${count}`;
    if (!names.includes(name)) return name;
  }
}

interface OwnToolProps extends Pick<OwnToolsProps, 'project' | 'isRefused' | 'onEdit'> {
  readonly tool: OwnToolReport;
  /** When this state was read. */
  readonly readAt: number;
}

function OwnTool({ tool, project, isRefused, readAt, onEdit }: OwnToolProps) {
  const client = useClient();
  const work = useToolWork();
  const { name, state, problem, lastUsedAt, secrets, sha256 } = tool;
  // The key of a tool in the home never includes a project.
  const which = { name, ...inProject(project) };
  const edit = async (): Promise<void> => {
    const projectPath = tool.source === 'home' ? null : project;
    const { sha256: replaces, ...file } = await client.ownTools.read({ file: tool.file, ...inProject(projectPath) });
    onEdit(draftOf(file, { replaces, projectPath }));
  };
  const used = lastUsedAt === null ? t('tools.neverUsed') : t('tools.used', { when: clock(lastUsedAt, readAt) });
  return (
    <li aria-label={seenName(name)} className="flex flex-col gap-2 py-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="font-mono text-xs wrap-anywhere">
            {seenName(name)} <span className={state === 'ready' ? 'text-soft' : 'text-warn'}>{stateText(tool)}</span>
          </p>
          <p className="font-mono text-xs text-soft wrap-anywhere">{seenName(tool.path)}</p>
          {problem === null ? (
            <p className="text-sm text-soft">
              {mayText(tool)} {t('tools.own.facts', { tokens: tokens(tool.tokens), used })}
            </p>
          ) : (
            <p className="text-sm text-warn wrap-anywhere">{seenWords(problem)}</p>
          )}
        </div>
        {!isRefused && (state === 'ready' || state === 'broken') && (
          <Button
            size="small"
            look="quiet"
            aria-label={t('toolEdit.editOne', { name: seenName(name) })}
            disabled={work.isBusy}
            onClick={() => void work.run(edit)}
          >
            {t('toolEdit.edit')}
          </Button>
        )}
        {state === 'ready' && (
          <OnOff
            name={name}
            isOn={tool.isWanted}
            own={project === null ? undefined : tool.own}
            isDisabled={isRefused || work.isBusy}
            onChange={(isOn) => void work.run(() => client.ownTools.set({ ...which, isOn }))}
          />
        )}
      </div>
      {tool.description !== '' && (
        <Fold label={t('tools.about')} className="text-xs">
          <p className="pt-1 text-sm whitespace-pre-line wrap-anywhere">{seenLines(tool.description)}</p>
        </Fold>
      )}
      <ProgramFacts tool={tool} project={project} isRefused={isRefused} />
      {!isRefused && secrets.length > 0 && state === 'ready' && (
        <ToolKeys
          names={secrets}
          isOpen={false}
          onSave={(variable, value) => client.ownTools.secret({ ...which, variable, value })}
        />
      )}
      {tool.text !== null && (
        <WaitingFile
          tool={tool}
          text={tool.text}
          isBusy={work.isBusy}
          onApprove={isRefused ? null : () => void work.run(() => client.ownTools.approve({ ...which, sha256 }))}
        />
      )}
      {work.problem !== null && <Problem text={work.problem} />}
    </li>
  );
}

interface WaitingFileProps {
  readonly tool: OwnToolReport;
  readonly text: string;
  readonly isBusy: boolean;
  /** Null: it cannot be approved from here. */
  readonly onApprove: (() => void) | null;
}

/** A project's file whose bytes wait for approval. */
function WaitingFile({ tool: { name, diff }, text, isBusy, onApprove }: WaitingFileProps) {
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line bg-sunken p-3">
      <p className="text-sm font-semibold">{t('tools.own.approve')}</p>
      <SeenChange text={text} diff={diff} />
      {onApprove !== null && (
        <Button look="primary" className="w-fit" disabled={isBusy} onClick={onApprove}>
          {t('tools.approveOne', { name: seenName(name) })}
        </Button>
      )}
    </div>
  );
}

interface ProgramFactsProps {
  readonly tool: OwnToolReport;
  readonly project: string | null;
  readonly isRefused: boolean;
}

/** What wrote a kept program, also while it waits for an approval. */
function ProgramFacts({ tool, project, isRefused }: ProgramFactsProps) {
  const { program, state } = tool;
  if (program === null) return null;
  const look = isOtherWriter(program.writer, program.today) ? 'text-warn' : 'text-soft';
  return (
    <>
      <p className={`text-sm wrap-anywhere ${look}`}>{writerLine(program.writer, program.today)}</p>
      {state === 'ready' && project !== null && (
        <KeptProgram tool={tool} program={program} projectPath={project} isRefused={isRefused} />
      )}
    </>
  );
}

function stateText({ state, source }: OwnToolReport): string {
  if (state === 'broken') return t('tools.own.broken');
  if (state === 'changed') return t('tools.changed');
  if (state === 'not-approved') return t('tools.new');
  return source === 'project' ? t('tools.own.project') : '';
}

function mayText({ hosts, secrets, program }: OwnToolReport): string {
  if (program !== null) return t('tools.program.may');
  const [list, keys] = [hosts.map(seenName).join(', '), secrets.map(seenName).join(', ')];
  if (hosts.length === 0) return secrets.length === 0 ? t('tools.own.may.files') : t('tools.own.may.keys', { keys });
  return secrets.length === 0 ? t('tools.own.may.hosts', { list }) : t('tools.own.may.both', { list, keys });
}
