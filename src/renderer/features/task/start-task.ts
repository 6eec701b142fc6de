import type { Attachment } from '@shared/attachments/attachment.ts';
import type { TaskMode } from '@shared/text/task-mode.ts';
import type { CoreClient } from '../../lib/connection/core-client.ts';
import type { ModelPick } from '../../lib/models/model-options.ts';
import { askBeside, showBeside, stopBeside } from '../../lib/models/beside.ts';
import { expectNewsOf } from '../../lib/notices/screen-reader.ts';
import { messageOptions } from '../../lib/models/session-choice.ts';

/** Options of a task besides its text. An empty text means the value from the settings. */
export interface TaskChoice extends OwnChoice {
  /** Null: its own words decide. */
  readonly mode: TaskMode | null;
  readonly pick: ModelPick;
}

/** What each task chooses anew. */
export interface OwnChoice {
  readonly check: string;
  readonly workspace: 'in-place' | 'copy';
  readonly maxUsd: string;
  readonly maxSteps: string;
}

export const noChoice: OwnChoice = {
  check: '',
  workspace: 'in-place',
  maxUsd: '',
  maxSteps: '',
};

interface Wanted extends TaskChoice {
  readonly task: string;
  /** The folder. Empty: none. */
  readonly project: string;
  /** The key of a project without a folder, in which the talk begins. */
  readonly talkProject?: string | null;
  readonly attachments: readonly Attachment[];
  readonly assistant: string | null;
  /** The models that get the same question. Absent: none. */
  readonly others?: readonly ModelPick[];
}

/**
 * Creates a session, sends it the task and returns its id. Rejects with a typed failure of the core. After an abort,
 * either no session exists or its turn is cancelled.
 */
export async function startTask(client: CoreClient, wanted: Wanted, signal: AbortSignal): Promise<string> {
  const { task, check, workspace, talkProject = null } = wanted;
  const projectPath = wanted.project === '' ? null : wanted.project;
  const request = {
    projectPath,
    title: titleOf(task),
    ...(projectPath === null ? {} : { workspace }),
    project: talkProject,
  };
  const { sessionId } = await client.sessions.create(request, { signal });
  const limits = {
    ...(check.trim() === '' ? {} : { check: check.trim() }),
    ...(wanted.maxUsd === '' ? {} : { maxUsd: Number(wanted.maxUsd) }),
    ...(wanted.maxSteps === '' ? {} : { maxSteps: Number(wanted.maxSteps) }),
  };
  expectNewsOf(sessionId);
  const cancel = (): void => void client.sessions.cancel({ sessionId }).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const message = { sessionId, text: task, attachments: [...wanted.attachments] };
    const { others = [] } = wanted;
    if (others.length === 0) {
      await client.sessions.send({ ...message, options: { ...messageOptions(wanted), ...limits } });
    } else {
      const ways = [wanted.pick, ...others].map((pick) => ({
        pick,
        options: { ...messageOptions({ ...wanted, pick, mode: 'ask' }), ...limits },
      }));
      const beside = await askBeside(client, { ...message, mode: wanted.mode, ways });
      if (signal.aborted) await stopBeside(client, beside);
      else showBeside(beside);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return sessionId;
}

const titleCharacters = 80;

/** The first line of the task becomes the session's title. */
function titleOf(task: string): string {
  const [line = ''] = task.trim().split('\n');
  const characters = Array.from(line);
  return characters.length <= titleCharacters ? line : `${characters.slice(0, titleCharacters - 1).join('')}…`;
}
