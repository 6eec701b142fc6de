import type { FormEvent } from 'react';
import { useState } from 'react';
import type { CoreClient } from '../../lib/core-client.ts';
import { failureText } from '../../lib/failure-text.ts';
import { submitOnEnter } from '../../lib/submit-on-enter.ts';
import { Notice } from '../../ui/notice.tsx';

interface NewTaskProps {
  readonly client: CoreClient;
  /** The project of the latest session: most tasks are in the same one. */
  readonly lastProject: string;
  readonly onStarted: (sessionId: string) => void;
}

export function NewTask({ client, lastProject, onStarted }: NewTaskProps) {
  const [task, setTask] = useState('');
  const [typedProject, setProject] = useState<string | null>(null);
  const project = typedProject ?? lastProject;
  const [check, setCheck] = useState('');
  const [isPlan, setIsPlan] = useState(false);
  const [state, setState] = useState<{ readonly isStarting: boolean; readonly problem: string | null }>({
    isStarting: false,
    problem: null,
  });
  const isReady = task.trim() !== '' && !state.isStarting;

  const start = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady) return;
    setState({ isStarting: true, problem: null });
    try {
      onStarted(await startTask(client, { task, project, check, isPlan }));
    } catch (error) {
      setState({ isStarting: false, problem: failureText(error) });
    }
  };

  return (
    <form className="new-task" aria-label="New task" onSubmit={(event) => void start(event)}>
      <h1>What is to be done?</h1>
      <label>
        Task
        <textarea
          rows={5}
          value={task}
          placeholder="A test fails in this project. Find the bug and fix it."
          onChange={(event) => setTask(event.target.value)}
          onKeyDown={submitOnEnter}
        />
      </label>
      <label>
        Project folder
        <input
          type="text"
          value={project}
          spellCheck={false}
          placeholder="The whole path; empty for a new, empty folder"
          onChange={(event) => setProject(event.target.value)}
        />
      </label>
      <label>
        Done when this command passes <span className="muted">(else the project’s own tests)</span>
        <input type="text" value={check} spellCheck={false} onChange={(event) => setCheck(event.target.value)} />
      </label>
      <label className="inline">
        <input type="checkbox" checked={isPlan} onChange={(event) => setIsPlan(event.target.checked)} />
        Plan only: read, change nothing
      </label>
      {state.problem !== null && <Notice kind="error">It was not started. {state.problem}</Notice>}
      <button type="submit" className="button-primary" disabled={!isReady}>
        {state.isStarting ? 'Starting …' : 'Start'}
      </button>
    </form>
  );
}

interface Wanted {
  readonly task: string;
  readonly project: string;
  readonly check: string;
  readonly isPlan: boolean;
}

async function startTask(client: CoreClient, { task, project, check, isPlan }: Wanted): Promise<string> {
  const projectPath = project.trim() === '' ? null : project.trim();
  const { sessionId } = await client.sessions.create({ projectPath, title: titleOf(task) });
  const criterion = check.trim() === '' ? {} : { check: check.trim() };
  await client.sessions.send({ sessionId, text: task, options: { ...criterion, plan: isPlan, interactive: true } });
  return sessionId;
}

const titleCharacters = 80;

/** The first line of the task stands for the session in lists. */
function titleOf(task: string): string {
  const [line = ''] = task.trim().split('\n');
  const characters = Array.from(line);
  return characters.length <= titleCharacters ? line : `${characters.slice(0, titleCharacters - 1).join('')}…`;
}
