import type { SessionEvent } from '../../src/shared/events/events.ts';
import type { UserAnswer } from '../../src/main/safety/approvals/approver.ts';
import type { CallConnectedTool } from '../../src/main/tools/connected/connected-tool.ts';
import type { ConnectedToolSpec } from '../../src/main/tools/connected/connected-tool-spec.ts';
import type { AgentKit, KitOptions, Reply } from '../fakes/agent-kit.ts';
import { call, createAgentKit, ofType } from '../fakes/agent-kit.ts';
import { expectReplay } from '../fakes/replay-kit.ts';
import type { DockerUnderTest } from './docker-kit.ts';

const done = call('task_complete', { summary: 'ok' });

/** A server's tool that counts its calls. */
const lookUp: ConnectedToolSpec = {
  name: 'shop__look_up',
  server: 'shop',
  tool: 'look_up',
  description: 'Looks an item up.',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  leaves: true,
  readsFiles: false,
};

export interface Scene {
  readonly kit: AgentKit;
  readonly sent: unknown[];
  readonly asked: string[];
}

/** A turn whose model runs programs in that sandbox. */
export function programScene(
  session: DockerUnderTest,
  replies: readonly Reply[],
  answer: UserAnswer = 'allow',
  options: KitOptions = {},
): Scene {
  const sent: unknown[] = [];
  const asked: string[] = [];
  const lookedUp: CallConnectedTool = async (_spec, input) => {
    sent.push(input);
    return { status: 'ok', output: JSON.stringify({ price: 3, ...Object(input) }) };
  };
  const { tools, ...others } = options.dependencies ?? {};
  const kit = createAgentKit({
    replies: [...replies, done],
    ...options,
    dependencies: {
      sandbox: session.sandbox,
      approver: {
        ask: async ({ kind }) => {
          asked.push(kind);
          return answer;
        },
      },
      ...others,
      tools: { programs: () => 'on', connected: { offered: async () => [lookUp], call: lookedUp }, ...tools },
    },
  });
  return { kit, sent, asked };
}

export function program(text: string, calls: readonly object[] = [], more: object = {}): Reply {
  return call('run_program', { plan: 'Look, then say what was found.', calls, program: text, ...more });
}

export const endOf = (kit: AgentKit, nth = 0) =>
  ofType(kit.journal.events, 'tool-ended').filter(({ tool }) => tool === 'run_program')[nth];
export const innerOf = (events: readonly SessionEvent[]) =>
  ofType(events, 'tool-ended').filter(({ parent }) => parent !== undefined);

/** Replays its log without any connected tools. */
export async function replays({ kit }: Scene): Promise<void> {
  await expectReplay(kit);
}
