import { routingOf } from '../../src/main/settings/profile-routing.ts';
import { success } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events/events.ts';
import type { ModelInfo } from '../../src/shared/models/model-info.ts';
import type { ModelRequest, LanguageModel, ProviderError, StreamPart } from '../../src/main/models/providers/define.ts';
import { gatherFacts } from '../../src/main/projects/facts/gather-project-facts.ts';
import { createLanguageServers } from '../../src/main/language-servers/language-servers.ts';
import { createMemorySandbox } from './sandbox/memory-sandbox.ts';
import type { MemorySandbox, MemorySandboxOptions } from './sandbox/memory-sandbox.ts';
import type { AgentConfig, AgentDependencies } from '../../src/main/agent/turn/agent-dependencies.ts';
import type { TurnOptions } from '../../src/main/settings/turn-options.ts';
import { networkRulesSchema } from '../../src/shared/safety/network-access.ts';
import { createSessionNetwork } from '../../src/main/safety/network/session-network.ts';
import { createSessionRunner } from '../../src/main/agent/turn/session-runner.ts';
import type { SessionRunner } from '../../src/main/agent/turn/session-runner.ts';
import type { Recipe } from '../../src/main/recipes/define.ts';
import { builtInTools, discoverTools } from '../../src/main/tools/registry.ts';
import type { Tool } from '../../src/main/tools/define.ts';
import type { Caps } from '../../src/main/money/budget.ts';
import { fencesSchema } from '../../src/shared/safety/fences.ts';
import { createHiddenValues } from '../../src/main/safety/hidden-values.ts';
import { createSessionFences } from '../../src/main/safety/session-fences.ts';
import { secretKind } from '../../src/main/sandbox/workspace/secret-files.ts';
import { memoryBudget } from './memory-reservations.ts';
import { createMemoryJournal, liveEffects } from './memory-journal.ts';
import type { MemoryJournal, MemoryJournalOptions } from './memory-journal.ts';

/** One answer of the fake model. A function sees the request. */
export type Reply = ReplyParts | ((request: ModelRequest) => ReplyParts);
export interface ReplyParts {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly error?: ProviderError;
  /** Yielded instead of the parts built from the fields above. The stream may lack its `ended` part on purpose. */
  readonly stream?: Iterable<StreamPart>;
  readonly stopReason?: 'stop' | 'length';
}

export const loopModel: ModelInfo = {
  id: 'fake/model',
  provider: 'fake',
  name: 'model',
  label: 'Fake model',
  where: 'local',
  contextTokens: 32_768,
  parametersB: 30,
  capabilities: { tools: true, grammar: false, prefill: true, infill: false, countTokens: true },
  price: { input: 0, output: 0, source: 'local', date: '2026-11-21' },
  strategies: ['loop'],
};

export interface AgentKit {
  readonly journal: MemoryJournal;
  readonly sandbox: MemorySandbox;
  readonly runner: SessionRunner;
  readonly requests: readonly ModelRequest[];
  readonly dependencies: Omit<AgentDependencies, 'inbox'>;
}

type Roles = 'models' | 'tools' | 'project' | 'machine';

/** Replaces single parts of what a session works with. */
export type KitDependencies = Partial<Omit<AgentDependencies, Roles>> & {
  readonly [Role in Roles]?: Partial<AgentDependencies[Role]>;
};

export interface KitOptions {
  readonly replies?: readonly Reply[];
  readonly model?: Partial<ModelInfo>;
  readonly cloud?: Partial<ModelInfo>;
  /** Further models; like the local one where they do not say. */
  readonly others?: readonly Partial<ModelInfo>[];
  /** Replaces the scripted provider, for the cloud model only. */
  readonly cloudProvider?: LanguageModel;
  readonly sandbox?: MemorySandboxOptions;
  readonly recipes?: readonly Recipe[];
  readonly tools?: readonly Tool[];
  readonly journal?: MemoryJournalOptions;
  readonly config?: Partial<AgentConfig>;
  readonly dependencies?: KitDependencies;
  readonly countTokens?: (request: ModelRequest) => number | null;
  readonly caps?: Partial<Caps>;
  /** Fences in the format of the settings. */
  readonly fences?: unknown;
}

export function createAgentKit(options: KitOptions = {}): AgentKit {
  const journal = createMemoryJournal(options.journal);
  const sandbox = createMemorySandbox(options.sandbox ?? { files: { 'a.py': 'x = 1\n' } });
  const requests: ModelRequest[] = [];
  const infos: ModelInfo[] = [{ ...loopModel, ...options.model }];
  if (options.cloud !== undefined) {
    infos.push({
      ...loopModel,
      id: 'sky/model',
      provider: 'sky',
      label: 'Sky model',
      where: 'cloud',
      ...options.cloud,
    });
  }
  infos.push(...(options.others ?? []).map((own) => ({ ...loopModel, ...own })));
  const provider = fakeProvider(options, requests);
  const { models, tools, project, machine, ...others } = options.dependencies ?? {};
  const dependencies: Omit<AgentDependencies, 'inbox'> = {
    journal,
    effects: liveEffects,
    sandbox,
    models: {
      info: async (id) => infos.find((info) => info.id === id) ?? null,
      noteWindow: () => undefined,
      provider: (id) => {
        if (id === 'sky' && options.cloudProvider !== undefined) return options.cloudProvider;
        return infos.some((info) => info.provider === id) ? provider : null;
      },
      ...models,
    },
    tools: { ...builtInOnly(), ...(options.tools === undefined ? {} : { builtIn: options.tools }), ...tools },
    recipes: options.recipes ?? [],
    project: { ...anyProject, ...project },
    approver: { ask: async () => 'nobody' },
    network: createSessionNetwork({
      rules: () => networkRulesSchema.parse({}),
      saveProjects: async () => success(null),
      projectPath: null,
      read: (fromSeq) => journal.read(fromSeq),
    }),
    budget: memoryBudget(options.caps),
    fences: createSessionFences({
      settings: () => fencesSchema.parse(options.fences ?? {}),
      projectPath: null,
      projectFiles: sandbox.files,
      read: (fromSeq) => journal.read(fromSeq),
      isSecretFile: (path) => secretKind(path) === 'secret',
      hideKnown: (text) => text,
      hidden: createHiddenValues(),
    }),
    machine: { meter: null, ease: async () => null, sleptMs: () => 0, delay: async () => undefined, ...machine },
    config: { ...agentConfig, ...options.config },
    ...others,
  };
  return { journal, sandbox, requests, dependencies, runner: createSessionRunner(dependencies) };
}

const builtInOnly = (): AgentDependencies['tools'] => ({
  builtIn: builtInTools(discoverTools(), { now: () => 0 }),
  connected: null,
  web: null,
  agents: null,
  programs: () => 'off',
  programReviewer: () => null,
  computes: () => false,
  appVersion: '1.2.3',
});

/** A project in which every file of instructions is approved, and that has no rules. */
const anyProject: AgentDependencies['project'] = {
  gatherFacts,
  findParts: async () => [],
  languageServers: createLanguageServers(),
  readEnvironment: async () => '',
  baselineFile: null,
  instructions: {
    check: async (_path, bytes) => ({
      sha256: '',
      state: 'approved',
      text: Buffer.from(bytes).toString('utf8'),
      diff: null,
      problem: null,
      isRefused: false,
    }),
    keep: async () => undefined,
  },
  memory: {
    lines: async () => [],
    takesProposals: () => false,
    hasReadOutside: async () => false,
    noteUse: async () => undefined,
    keep: async () => undefined,
  },
  skills: { find: async () => ({ offered: [], held: [] }), load: async () => null },
  routeRules: async () => ({ rules: [], problems: [] }),
  lookAtFiles: async () => [],
  symbols: null,
  repository: null,
};

export const agentConfig: AgentConfig = {
  commandTimeoutMs: 10_000,
  toolTimeoutMs: 20_000,
  maxWriteBytes: 1024 * 1024,
  recipe: {
    mechanicalChanges: true,
    agreement: true,
    locate: { coverage: true },
    seed: 1,
  },
};

export const turnOptions: TurnOptions = {
  mode: 'work',
  strategy: 'auto',
  atCap: 'stop',
  check: null,
  policy: 'local',
  routing: routingOf('balanced', {}),
  local: 'fake/model',
  cloud: null,
  approve: 'ask',
  maxSteps: 40,
  maxMinutes: 15,
  maxTokens: 1_000_000,
  maxUsd: null,
  seed: null,
};

function fakeProvider(options: KitOptions, requests: ModelRequest[]): LanguageModel {
  const replies = options.replies ?? [];
  return {
    id: 'fake',
    countTokens: async (request) => (options.countTokens ?? countBytes)(request),
    async *stream(request, signal) {
      const reply = replies[requests.length] ?? { text: 'The script is at its end.' };
      requests.push(request);
      const parts = typeof reply === 'function' ? reply(request) : reply;
      for (const part of parts.stream ?? streamOf(parts, requests.length, countBytes(request))) {
        if (signal.aborted) break;
        yield part;
      }
      if (signal.aborted) yield { ...ended('cancelled', 0), error: null };
    },
  };
}

function countBytes(request: ModelRequest): number {
  return Math.ceil(JSON.stringify(request.messages).length / 4);
}

function streamOf(reply: ReplyParts, number: number, promptTokens: number): StreamPart[] {
  const parts: StreamPart[] = [];
  if (reply.text !== undefined) parts.push({ type: 'text-delta', text: reply.text });
  for (const [index, call] of (reply.calls ?? []).entries()) {
    parts.push({
      type: 'tool-call',
      call: { type: 'tool-call', id: `p${number}-${index}`, name: call.name, input: call.input },
    });
  }
  const stop = reply.error ? 'error' : (reply.stopReason ?? (reply.calls?.length ?? 0) > 0) ? 'tool-calls' : 'stop';
  const end = ended(reply.stopReason ?? stop, promptTokens);
  return [...parts, reply.error === undefined ? end : { ...end, error: reply.error }];
}

export function ended(
  stopReason: 'stop' | 'length' | 'tool-calls' | 'cancelled' | 'error',
  promptTokens: number,
): Extract<StreamPart, { type: 'ended' }> {
  return {
    type: 'ended',
    stopReason,
    usage: { freshInput: promptTokens, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0, estimated: false },
    evaluatedTokens: promptTokens,
    timings: { queuedMs: 0, prefillMs: 1, decodeMs: 1, totalMs: 2 },
    error: null,
  };
}

export const call = (name: string, input: unknown): ReplyParts => ({ calls: [{ name, input }] });

export function types(events: readonly SessionEvent[]): readonly string[] {
  return events.map((event) => event.type);
}

export function ofType<Type extends SessionEvent['type']>(
  events: readonly SessionEvent[],
  type: Type,
): readonly Extract<SessionEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type);
}
