import type { FormEvent, ReactNode, RefObject } from 'react';
import { useEffect, useRef, useState } from 'react';
import type { ListedProject } from '@shared/projects/project-list.ts';
import { hasNoFolder } from '@shared/projects/project-keys.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { GivenTask } from '@shared/contract/host-contract.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import { modeOfText } from '@shared/text/task-mode.ts';
import type { FilePlace } from '@shared/attachments/attachment-inputs.ts';
import { useClient } from '../../lib/connection/core-context.ts';
import { folderText, typedFolder } from '../../lib/text/folder-text.ts';
import { failureText } from '../../lib/connection/failure-text.ts';
import { plural, t } from '../../lib/text/translate.ts';
import { useFirstItems } from '../../lib/drawing/use-first-items.ts';
import type { Attachments } from '../../lib/input/use-attachments.ts';
import { useAttachments } from '../../lib/input/use-attachments.ts';
import { useAttachmentPreview } from '../../lib/input/use-attachment-preview.ts';
import type { PreviewedFiles } from '../../lib/input/use-attachment-preview.ts';
import type { ModelPick } from '../../lib/models/model-options.ts';
import { keepChoice, useNextChoice } from '../../lib/models/session-choice.ts';
import { optionsOfPick } from '../../lib/models/model-options.ts';
import type { AssistantChoiceState } from '../../lib/input/use-assistants.ts';
import { useAssistants } from '../../lib/input/use-assistants.ts';
import { modeOfAssistant } from '@shared/session/assistants.ts';
import { useDraft } from '../../lib/input/use-draft.ts';
import type { HeldSend } from '../../lib/input/use-held-send.ts';
import { useHeldSend } from '../../lib/input/use-held-send.ts';
import { useRoots } from '../../lib/connection/use-host-info.ts';
import { Button } from '../../ui/controls/button.tsx';
import { AssistantChoice } from '../../ui/controls/assistant-choice.tsx';
import { ModeChoice } from '../../ui/controls/mode-choice.tsx';
import { FolderField } from '../../ui/controls/folder-field.tsx';
import type { FieldMenu, MessageFieldHandle } from '../../ui/controls/message-field.tsx';
import { ExpectedMessage } from '../../ui/figures/expected-ways.tsx';
import { MessageField } from '../../ui/controls/message-field.tsx';
import type { AskedOthers } from '../../ui/model-picker/ask-others.tsx';
import { AskOthersButton, AskOthersList, useAskedOthers } from '../../ui/model-picker/ask-others.tsx';
import { ModelPicker } from '../../ui/model-picker/model-picker.tsx';
import { ProjectSign } from '../../ui/project/project-sign.tsx';
import { Problem } from '../../ui/notices/problem.tsx';
import { isForeign, useGivenTask } from './use-given-task.tsx';
import { CloneOffer } from './clone-offer.tsx';
import { IssueOffer } from './issue-offer.tsx';
import { TaskOptions } from './task-options.tsx';
import type { OwnChoice, TaskChoice } from './start-task.ts';
import { noChoice, startTask } from './start-task.ts';
import { useTaskTemplates } from './use-task-templates.tsx';

interface NewTaskProps {
  /** Latest first, because most tasks are in the same one. */
  readonly projects: readonly ListedProject[];
  /** The key of the project to begin with, instead of the latest one. */
  readonly first: string | null;
  /** A request for a new task. Each new object moves the focus to the field. */
  readonly asked: GivenTask;
  readonly onStarted: (sessionId: string) => void;
  /** What the machine still needs. Above the form in a home without a session, otherwise below it. */
  readonly children: ReactNode;
  readonly isFirstHome: boolean;
}

export function NewTask({ projects, first, asked, onStarted, children, isFirstHome }: NewTaskProps) {
  const client = useClient();
  const [task, setTask] = useDraft('task');
  const where = useTaskPlace(projects, first);
  const { project, talkProject } = where;
  const { next, chooseNext, choice, setChoice } = useTaskChoice(talkProject ?? project);
  const key = talkProject ?? (project === '' ? null : project);
  const field = useRef<MessageFieldHandle>(null);
  const place = project === '' ? null : { projectPath: project };
  const attachments = useAttachments('task', place);
  const templates = useTaskTemplates({ task, setTask, field, place, project: key, attachments });
  const assistants = useAssistants(next, (assistant) => chooseNext({ assistant }));
  const { pick, assistant } = assistants;
  const wanted = { ...choice, project, talkProject, pick, assistant: assistant?.name ?? null };
  const files = useAttachmentPreview({ attachments, text: task, place, options: optionsOfPick(pick) });
  const byWords = modeOfAssistant(assistant) ?? modeOfText(task, place !== null);
  const others = useAskedOthers({ text: task, mode: choice.mode, byWords, isRunning: false });
  const origin = useGivenTask(asked, { text: task, setText: setTask, add: attachments.add });

  const { isStarting, problem, start, stop } = useStart((signal) =>
    startTask(client, { ...wanted, task, attachments: attachments.list, others: others.picks }, signal).then(
      (sessionId) => {
        setTask('');
        attachments.clear(attachments.list);
        keepChoice(sessionId, next);
        onStarted(sessionId);
      },
    ),
  );
  const held = useHeldSend({ text: task, files, go: start });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (task.trim() === '' || isStarting || files.isHeld || others.isHeld || templates.fill()) return;
    // The field also handles Escape.
    field.current?.focus();
    held.send();
  };

  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-2xl flex-col justify-center gap-8 px-5 py-8">
        {isFirstHome && children}
        <form aria-label={t('sessions.new')} onSubmit={submit} className="flex flex-col gap-4">
          <h1 className="text-xl font-semibold tracking-tight max-lg:mt-4">{t('task.title')}</h1>
          {origin}
          <TaskField
            {...{
              task,
              choice,
              assistants,
              isStarting,
              attachments,
              place,
              files,
              asked,
              held,
              field,
              byWords,
              others,
            }}
            onTask={setTask}
            onChoice={setChoice}
            onStop={stop}
            project={talkProject}
            menu={templates.menu}
          />
          <PlaceField where={where} />
          <TaskOptions choice={choice} project={project} onChange={setChoice} />
          {problem !== null && <Problem text={`${t('task.failed')} ${problem}`} />}
        </form>
        {!isFirstHome && children}
      </div>
    </div>
  );
}

/** `next`: what is kept for the next task, too. */
function useTaskChoice(project: string) {
  const [next, chooseNext] = useNextChoice(project);
  const [own, setOwn] = useState<OwnChoice>(noChoice);
  const choice: TaskChoice = { ...own, pick: next.pick, mode: next.mode };
  const setChoice = ({ pick, mode, ...others }: TaskChoice): void => {
    setOwn(others);
    chooseNext({ ...(pick === next.pick ? {} : { pick }), ...(mode === next.mode ? {} : { mode }) });
  };
  return { next, chooseNext, choice, setChoice };
}

interface TaskPlace {
  /** The folder; empty: none. */
  readonly project: string;
  /** As it was typed. */
  readonly typed: string;
  /** The project without a folder that the talk begins in. */
  readonly talkIn: ListedProject | null;
  /** Its key. */
  readonly talkProject: string | null;
  readonly folders: readonly string[];
  /** The projects without a folder. */
  readonly others: readonly ListedProject[];
  readonly roots: readonly string[];
  readonly setProject: (project: string) => void;
}

/** Where the task is to work. */
function useTaskPlace(projects: readonly ListedProject[], first: string | null): TaskPlace {
  const [chosen, setProject] = useState<string | null>(first);
  const roots = useRoots();
  const folders = projects.flatMap(({ folder }) => folder ?? []);
  const others = projects.filter(({ folder }) => folder === null);
  const known = { folders, others, roots, setProject };
  const shown = chosen ?? folders[0] ?? '';
  if (!hasNoFolder(shown)) {
    const project = typedFolder(shown, roots);
    return { project, typed: project === '' ? '' : shown, talkIn: null, talkProject: null, ...known };
  }
  const talkIn = projects.find(({ path }) => path === shown) ?? null;
  return { project: '', typed: '', talkIn, talkProject: talkIn?.path ?? null, ...known };
}

/** Number of projects without a folder that are offered at first, and added with each click. */
const shownProjects = 6;

function PlaceField({ where }: { readonly where: TaskPlace }) {
  const { typed, talkIn, folders, others, roots, setProject } = where;
  const { shown, left, more } = useFirstItems(others, shownProjects);
  if (talkIn !== null) return <TalkProject project={talkIn} onLeave={() => setProject('')} />;
  return (
    <>
      <ProjectField typed={typed} projects={folders} roots={roots} onChange={setProject} />
      {others.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <span className="text-soft">{t('task.orProject')}</span>
          {shown.map(({ path, name, icon }) => (
            <Button key={path} size="small" onClick={() => setProject(path)}>
              <ProjectSign {...{ icon, name }} hasFolder={false} /> {seenName(name)}
            </Button>
          ))}
          {left > 0 && (
            <Button size="small" look="quiet" className="text-soft" onClick={more}>
              {plural('list.more', left)}
            </Button>
          )}
        </p>
      )}
    </>
  );
}

function TalkProject({ project, onLeave }: { readonly project: ListedProject; readonly onLeave: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm">
      <span className="text-soft">{t('task.inProject')}</span>
      <ProjectSign icon={project.icon} name={project.name} hasFolder={false} />
      <span className="min-w-0 font-semibold wrap-anywhere">{seenName(project.name)}</span>
      <Button size="small" onClick={onLeave}>
        {t('task.leaveProject')}
      </Button>
    </p>
  );
}

interface ProjectFieldProps {
  readonly typed: string;
  readonly projects: readonly string[];
  readonly roots: readonly string[];
  readonly onChange: (project: string) => void;
}

function ProjectField({ typed, projects, roots, onChange }: ProjectFieldProps) {
  return (
    <>
      <FolderField
        label={t('task.project')}
        hint={folderHint(roots)}
        folder={typed}
        known={projects}
        onChange={onChange}
      />
      <CloneOffer typed={typed} projects={projects} onCloned={onChange} />
    </>
  );
}

interface Starting {
  readonly isStarting: boolean;
  /** Why it did not start. */
  readonly problem: string | null;
  readonly start: () => void;
  readonly stop: () => void;
}

function useStart(work: (signal: AbortSignal) => Promise<void>): Starting {
  const [isStarting, setIsStarting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef<AbortController | null>(null);
  const start = async (): Promise<void> => {
    setIsStarting(true);
    setProblem(null);
    const { signal } = (stop.current = new AbortController());
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) setProblem(failureText(error));
      setIsStarting(false);
    }
  };
  return { isStarting, problem, start: () => void start(), stop: () => stop.current?.abort() };
}

function folderHint(roots: readonly string[]): string {
  const names = roots.map(folderText);
  const [first] = names;
  if (first === undefined) return t('task.projectHint');
  return t('task.folderHint', { example: `${first}/my-project`, roots: names.join(' or ') });
}

interface TaskFieldProps {
  readonly task: string;
  readonly onTask: (task: string) => void;
  readonly choice: TaskChoice;
  readonly onChoice: (choice: TaskChoice) => void;
  readonly assistants: AssistantChoiceState;
  readonly byWords: TaskMode;
  readonly others: AskedOthers;
  readonly isStarting: boolean;
  /** Stops the start, because copying a large project takes time. */
  readonly onStop: () => void;
  readonly attachments: Attachments;
  readonly place: FilePlace | null;
  /** The key of a project without a folder. */
  readonly project: string | null;
  readonly files: PreviewedFiles;
  readonly asked: GivenTask;
  readonly menu: FieldMenu;
  readonly held: HeldSend;
  readonly field: RefObject<MessageFieldHandle | null>;
}

function TaskField(props: TaskFieldProps) {
  const { task, onTask, choice, onChoice, assistants, isStarting, onStop, attachments, place, files, asked, field } =
    props;
  const { byWords, others } = props;
  useEffect(() => {
    if (!isForeign(asked)) field.current?.focus();
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }, [asked, field]);
  const onPick = (pick: ModelPick): void => onChoice({ ...choice, pick });
  const projectPath = place !== null && 'projectPath' in place ? place.projectPath : props.project;
  const asking = { others, pick: assistants.pick, projectPath };
  return (
    <>
      <AskOthersList {...asking} />
      <MessageField
        id="task"
        label={t('task.label')}
        placeholder={t(`task.placeholder.${choice.mode ?? byWords}`)}
        text={task}
        onText={onTask}
        rows={[4, 14]}
        attachments={attachments}
        place={place}
        files={files}
        onModel={(model) => onPick({ ...choice.pick, ...model })}
        menu={props.menu}
        held={props.held}
        handle={field}
        end={
          <>
            <ModeChoice chosen={choice.mode} byWords={byWords} onChange={(mode) => onChoice({ ...choice, mode })} />
            {isStarting && (
              <Button size="small" onClick={onStop}>
                {t('task.stop')}
              </Button>
            )}
            <Button
              type="submit"
              look="primary"
              disabled={task.trim() === '' || isStarting || files.isHeld || others.isHeld}
              title={t(files.isHeld ? 'attach.heldAbout' : 'task.send')}
            >
              {t(isStarting ? 'task.starting' : 'task.start')}
            </Button>
          </>
        }
      >
        <ModelPicker pick={assistants.pick} onPick={onPick} projectPath={projectPath} />
        <AssistantChoice
          assistants={assistants.assistants}
          chosen={assistants.assistant}
          onChange={assistants.choose}
        />
        <AskOthersButton {...asking} />
      </MessageField>
      <ExpectedMessage
        pick={assistants.pick}
        mode={choice.mode ?? byWords}
        projectPath={projectPath}
        hasWords={task.trim() !== ''}
      />
      <IssueOffer task={task} projectPath={place === null ? null : projectPath} onTask={onTask} />
    </>
  );
}
