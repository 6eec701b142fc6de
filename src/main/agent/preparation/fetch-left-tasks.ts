import type { LeftTask } from '@shared/events/tool-events.ts';
import { leftTasks } from '@shared/session/reducers/reduce-server-tasks.ts';
import type { ConnectedToolSpec } from '../../tools/connected/connected-tool-spec.ts';
import { z } from 'zod';
import { callRule } from '../../safety/approvals/approval-policy.ts';
import { createServerDoor } from '../approval/request-server-question.ts';
import { fetchTaskName } from '../prompt/conversation.ts';
import type { ActionResult } from '../turn/take-action.ts';
import { takeAction } from '../turn/take-action.ts';
import type { Turn } from '../turn/turn.ts';

const dataSchema = z.object({ isSettled: z.boolean() }).nullable();
type Fetched = z.infer<typeof dataSchema>;

/**
 * Asks servers for the results of calls that they worked on as tasks when a crash cut them off. No call is made again.
 * Asks only tools that are still offered unchanged, and only if the turn may make calls. Throws `cancelled`.
 */
export async function fetchLeftTasks(turn: Turn): Promise<void> {
  const { dependencies, options, given, found, log } = turn;
  const { sandbox, connected = [] } = found.facts ?? {};
  if (sandbox === undefined || given.mode === 'chat' || given.isQuestion) return;
  if (callRule('network', sandbox.tier, options.mode) === 'refused') return;
  for (const { toolCallId, tool, label, task } of leftTasks(dependencies.journal.state())) {
    const spec = connected.find(({ name }) => name === tool);
    if (spec === undefined) continue;
    const { server, leaves, readsFiles } = spec;
    const fetched = await takeAction<Fetched>(
      turn,
      {
        tool: fetchTaskName,
        label: `ask again for ${label}`,
        input: { call: toolCallId, ...task },
        connected: { server, leaves, readsFiles },
        run: (action) => askFor(turn, { spec, task, label }, action),
      },
      (data) => dataSchema.parse(data),
    );
    if (fetched?.isSettled === true) await log.append({ type: 'server-task-settled', toolCallId });
  }
}

interface Left {
  readonly spec: ConnectedToolSpec;
  readonly task: LeftTask;
  readonly label: string;
}

async function askFor(turn: Turn, { spec, task, label }: Left, toolCallId: string): Promise<ActionResult<Fetched>> {
  const { signal, dependencies } = turn;
  const door = createServerDoor(turn, spec, { toolCallId, signal });
  const onProgress = (text: string): void =>
    dependencies.journal.push({ type: 'output-chunk', toolCallId, stream: 'stdout', text: `${text}\n` });
  try {
    const { status, output } = (await dependencies.tools.connected?.askTask?.(spec, task, {
      signal,
      onProgress,
      door,
    })) ?? {
      status: 'refused',
      output: 'There is no way to its server.',
    };
    const isSettled = status !== 'refused' && status !== 'unknown';
    return { status, output: `${label}\n${output}`, data: { isSettled } };
  } finally {
    await door.end();
  }
}
