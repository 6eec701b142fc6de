import type { SessionEvent } from '@shared/events/events.ts';
import { z } from 'zod';
import type { ReplayTurn } from '../../sessions/replay/replay-session.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Recipe } from '../../recipes/define.ts';
import type { AgentConfig, AgentDependencies, SessionTools } from '../turn/agent-dependencies.ts';
import { turnChoiceSchema, turnOptionsSchema } from '../../settings/turn-options.ts';
import type { TurnFacts } from '../preparation/turn-facts.ts';
import { emptyTurnFacts, turnFactsSchema } from '../preparation/turn-facts.ts';
import { createTurnStarter } from '../turn/turn-starter.ts';

const configSchema = z.object({
  commandTimeoutMs: z.number(),
  toolTimeoutMs: z.number(),
  maxWriteBytes: z.number(),
  recipe: z.object({
    mechanicalChanges: z.boolean(),
    agreement: z.boolean(),
    locate: z.object({ coverage: z.boolean() }),
    seed: z.number(),
  }),
}) satisfies z.ZodType<AgentConfig>;

const inputSchema = z.object({ options: turnOptionsSchema, config: configSchema });

/** What a replay needs from this version of Dewpoint: its tools and recipes, but no model and no sandbox. */
export interface ReplayParts {
  readonly tools: Pick<SessionTools, 'builtIn'>;
  readonly recipes: readonly Recipe[];
}

/**
 * Runs one recorded turn again through the whole agent. The options and the facts of the turn come from its first
 * action, `gather_facts`; replies, results and times from the log.
 */
export async function runReplayTurn(turn: ReplayTurn, parts: ReplayParts): Promise<void> {
  const opening = await findOpening(turn);
  const { options, config } = opening.input;
  const starter = createTurnStarter({
    journal: turn.journal,
    effects: turn.effects,
    sandbox: noSandbox(opening.facts ?? emptyTurnFacts),
    models: { info: async () => null, noteWindow: () => undefined, provider: () => turn.provider },
    tools: {
      builtIn: parts.tools.builtIn,
      connected: null,
      web: null,
      agents: null,
      programs: () => 'off',
      programReviewer: () => null,
      computes: () => false,
      appVersion: '',
    },
    recipes: parts.recipes,
    project: noProject,
    approver: turn.approver,
    network: noNetwork,
    budget: turn.budget,
    fences: turn.fences,
    inbox: { take: () => turn.inbox.take(), choice: () => turnChoiceSchema.nullable().parse(turn.inbox.choice()) },
    machine: { meter: null, ease: async () => null, sleptMs: () => 0, delay: async () => undefined },
    config,
  });
  const abort = (): void => starter.abort();
  turn.signal.addEventListener('abort', abort, { once: true });
  try {
    const running = starter.run(turn.message, options, opening.facts ?? undefined);
    // A turn that was cancelled before its facts were gathered has nothing between its start and its end.
    if (!opening.isComplete) starter.abort();
    await running;
  } finally {
    turn.signal.removeEventListener('abort', abort);
  }
}

/** Questions to the user are inside effects, which a replay does not run. */
const noNetwork: AgentDependencies['network'] = {
  decide: () => Promise.reject(new Error('A replay asked for a network.')),
  remember: () => Promise.reject(new Error('A replay asked for a network.')),
};

const noProject: AgentDependencies['project'] = {
  gatherFacts: async () => emptyTurnFacts.facts,
  findParts: async () => [],
  languageServers: () => {
    throw new Error('A replay asked for a language server.');
  },
  readEnvironment: async () => '',
  baselineFile: null,
  instructions: {
    check: () => Promise.reject(new Error('A replay looked at instructions.')),
    keep: () => Promise.reject(new Error('A replay looked at instructions.')),
  },
  memory: {
    lines: () => Promise.reject(new Error('A replay looked at the memory.')),
    takesProposals: () => false,
    hasReadOutside: () => Promise.reject(new Error('A replay looked at the memory.')),
    keep: () => Promise.reject(new Error('A replay wrote to the memory.')),
    noteUse: () => Promise.reject(new Error('A replay wrote to the memory.')),
  },
  skills: {
    find: () => Promise.reject(new Error('A replay looked for skills.')),
    load: () => Promise.reject(new Error('A replay looked for skills.')),
  },
  routeRules: async () => ({ rules: [], problems: [] }),
  lookAtFiles: async () => [],
  symbols: null,
  repository: null,
};

interface Opening {
  readonly input: z.infer<typeof inputSchema>;
  readonly facts: TurnFacts | null;
  readonly isComplete: boolean;
}

async function findOpening(turn: ReplayTurn): Promise<Opening> {
  let started: Extract<SessionEvent, { type: 'tool-started' }> | null = null;
  let ended: Extract<SessionEvent, { type: 'tool-ended' }> | null = null;
  for await (const event of turn.journal.read()) {
    if (event.type === 'tool-started' && event.tool === 'gather_facts') started = event;
    if (event.type === 'tool-ended' && event.tool === 'gather_facts') ended = event;
  }
  const input = inputSchema.parse(started?.input);
  if (ended === null || ended.toolCallId !== started?.toolCallId || ended.status === 'cancelled') {
    return { input, facts: null, isComplete: false };
  }
  const blob = ended.dataBlob === null ? null : await turn.journal.getBlob(ended.dataBlob);
  const data: unknown = blob === null ? ended.data : JSON.parse(Buffer.from(blob).toString('utf8'));
  return { input, facts: turnFactsSchema.nullable().parse(data) ?? emptyTurnFacts, isComplete: true };
}

/** A replay must not use a sandbox. A call that does is a bug and throws. */
function noSandbox(facts: TurnFacts): Sandbox {
  const refuse = (): Promise<never> => Promise.reject(new Error('A replay reached for the sandbox.'));
  const { tier, workspacePath, scratchPath } = facts.sandbox;
  return {
    tier,
    description: { tier, image: null, text: 'replay', limits: {}, warnings: [] },
    workspacePath,
    scratchPath,
    backgroundProcesses: null,
    exec: refuse,
    runWithNetwork: refuse,
    open: refuse,
    files: {
      read: refuse,
      readMany: refuse,
      write: refuse,
      delete: refuse,
      realPath: refuse,
      setMode: refuse,
      list: refuse,
      search: refuse,
      stat: refuse,
      scan: refuse,
    },
    links: { found: () => null, break: refuse },
    look: refuse,
    prepare: refuse,
    settle: async () => undefined,
    dispose: async () => undefined,
  };
}
