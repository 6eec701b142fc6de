import type { ProgramReview } from '../../src/shared/events/approval-events.ts';
import type { UntrackedPlace } from '../../src/shared/events/sandbox-events.ts';
import type { EventOf, NewEvent } from '@shared/events/events.ts';
import type { Stage } from '@shared/models/model-info.ts';
import type { Price, Usage } from '@shared/money/token-cost.ts';
import { costOf } from '@shared/money/token-cost.ts';
import type { PageCore } from './page-core.ts';

export const localModel = 'llama-cpp/qwen2.5-coder-1.5b-instruct';
export const cloudModel = 'example/large-1';

const stages = {
  recipe: { strategy: 'recipe', model: localModel, where: 'local' },
  local: { strategy: 'loop', model: localModel, where: 'local' },
  cloud: { strategy: 'loop', model: cloudModel, where: 'cloud' },
} as const satisfies Record<string, Stage>;

const localPrice: Price = { input: 0, output: 0, source: 'local', date: '2026-11-01' };
const cloudPrice: Price = {
  input: 3,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  output: 15,
  source: 'settings',
  date: '2026-11-01',
};
const blob = { sha256: 'a'.repeat(64), bytes: 4096 };

export interface Stepped {
  readonly stage: keyof typeof stages;
  readonly label: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly output?: string;
  readonly exitCode?: number | null;
  readonly reason?: string;
  readonly text?: string;
  readonly usage?: Partial<Usage>;
  readonly ms?: number;
  /** The result of the tool, as data. */
  readonly data?: unknown;
  /** What the user was shown before they allowed its program. */
  readonly review?: ProgramReview;
  /** The calls that its program made. */
  readonly inner?: readonly { readonly tool: string; readonly label: string; readonly status: 'ok' | 'error' }[];
}

/** Writes the events of a session, one call at a time, as the engine does in a turn. */
export interface Story {
  readonly sessionId: string;
  append(event: NewEvent): void;
  /** `messageId`: the id of an existing message. */
  ask(
    text: string,
    options?: {
      readonly mode?: 'plan';
      readonly maxUsd?: number;
      readonly check?: string;
      readonly messageId?: string;
    },
  ): void;
  sandbox(tier: 'container' | 'read-only'): void;
  stage(stage: keyof typeof stages, reason: string, recipe?: string): void;
  check(phase: 'before' | 'after', passed: boolean, summary: string): void;
  action(label: string, output: string, exitCode?: number): void;
  step(step: Stepped): string;
  /** Begins a step that goes on. Returns its call id. */
  begin(stage: keyof typeof stages): string;
  /** Ends a step that `begin` started, with its answer. */
  answered(callId: string, text: string): void;
  changed(path: string, added: number, removed: number): void;
  /** What a command left in a place where changes are not tracked. */
  untracked(place: UntrackedPlace): void;
  end(reason: Extract<NewEvent, { type: 'turn-ended' }>['reason'], text: string): void;
}

export async function startStory(core: PageCore, title: string, projectPath: string | null): Promise<Story> {
  const sessionId = core.createSession({ projectPath, title });
  let count = 0;
  let steps = 0;
  let turnId = '';
  const id = (kind: string): string => `${sessionId}-${kind}-${(count += 1)}`;
  const append = (event: NewEvent): void =>
    core.append(sessionId, turnId === '' || 'turnId' in event ? event : { ...event, turnId });
  const begin = (name: keyof typeof stages, purpose: 'act' | 'answer' = 'act', reason = ''): string => {
    const callId = id('call');
    const stage = stages[name];
    if (reason !== '') {
      const chosen = { model: stage.model, where: stage.where };
      append({ type: 'route-decided', callId, chosen, runnerUp: null, reasonCode: 'stage', reason });
    }
    steps += 1;
    const provider = stage.model.split('/')[0] ?? '';
    append({
      type: 'model-call-started',
      callId,
      step: steps,
      purpose,
      stage,
      provider,
      model: stage.model,
      request: blob,
      promptTokens: 900,
    });
    return callId;
  };
  const tool = (callId: string, step: Stepped): void => {
    const toolCallId = id('tool');
    const name = step.tool ?? 'read_file';
    const { input = { path: 'dates.py' }, label } = step;
    append({ type: 'tool-call-requested', toolCallId, callId, tool: name, input, style: 'native', repairs: [] });
    append({ type: 'tool-started', toolCallId, tool: name, by: 'model', input, label });
    if (step.review !== undefined) {
      const approvalId = id('approval');
      const asked = { kind: 'program', subject: label, sha256: 'd'.repeat(64), text: label, reason: label } as const;
      append({ type: 'approval-requested', approvalId, toolCallId, ...asked, review: step.review });
      append({ type: 'approval-answered', approvalId, answer: 'allow', by: 'person' });
    }
    for (const made of step.inner ?? []) {
      const own = { toolCallId: id('tool'), tool: made.tool, parent: toolCallId };
      append({ type: 'tool-started', ...own, by: 'model', input: {}, label: made.label });
      append({ type: 'tool-ended', ...own, ...ended('', null, 40), status: made.status });
    }
    append({
      type: 'tool-ended',
      toolCallId,
      tool: name,
      ...ended(step.output ?? '', step.exitCode ?? null, step.ms ?? 400),
      data: step.data ?? null,
    });
    core.details.set(callId, {
      text: null,
      request: requestOf(),
      parts: [{ type: 'text', text: step.text ?? '' }],
      price: step.stage === 'cloud' ? cloudPrice : localPrice,
      route: routeOf(callId, step.stage === 'cloud' ? 'cloud' : 'local'),
      tools: [
        { toolCallId, tool: name, input, repairs: [], output: step.output ?? '', isOutputWhole: true, changes: [] },
      ],
    });
  };
  return {
    sessionId,
    append,
    begin,
    answered: (callId, text) => append(callEnded(callId, { stage: 'local', label: '', text })),
    ask(text, options = {}) {
      turnId = '';
      const messageId = options.messageId ?? id('message');
      if (options.messageId === undefined) append({ type: 'user-message-added', messageId, text, queued: false });
      turnId = id('turn');
      const check = options.check === undefined ? null : { command: options.check, source: 'project' as const };
      const limits = { maxSteps: 40, maxMinutes: 15, maxTokens: 200_000, maxUsd: options.maxUsd ?? null };
      const cascade = [stages.recipe, stages.local, stages.cloud];
      append({
        type: 'turn-started',
        messageId,
        ...(options.mode === undefined ? {} : { mode: options.mode }),
        check,
        cascade,
        limits,
      });
    },
    sandbox(tier) {
      const isContainer = tier === 'container';
      append({
        type: 'sandbox-started',
        tier,
        image: isContainer ? 'dewpoint-sandbox:3f2a91c' : null,
        description: isContainer
          ? 'Docker 27.3: commands run as your user, without a network, with the project mounted and nothing else.'
          : 'No container engine was found. Files can be read and searched; no command runs.',
        limits: isContainer
          ? { network: 'none', memoryMb: 2048, cpus: 2, pids: 512 }
          : { commands: false, writes: false },
      });
    },
    stage(name, reason, recipe) {
      append({ type: 'stage-chosen', stage: stages[name], recipe: recipe ?? null, reason, index: 0, cause: null });
    },
    check(phase, passed, summary) {
      append({
        type: 'check-ended',
        phase,
        command: 'python3 -m pytest -q',
        exitCode: passed ? 0 : 1,
        passed,
        summary,
      });
    },
    action(label, output, exitCode = 0) {
      const toolCallId = id('action');
      append({ type: 'tool-started', toolCallId, tool: 'run_command', by: 'recipe', input: { command: label }, label });
      append({ type: 'tool-ended', toolCallId, tool: 'run_command', ...ended(output, exitCode, 800) });
      core.details.set(toolCallId, {
        text: null,
        request: null,
        parts: [],
        price: null,
        tools: [
          {
            toolCallId,
            tool: 'run_command',
            input: { command: label },
            repairs: [],
            output,
            isOutputWhole: true,
            changes: [],
          },
        ],
      });
    },
    step(step) {
      const callId = begin(
        step.stage,
        step.tool === undefined && step.text !== undefined ? 'answer' : 'act',
        step.reason,
      );
      append(callEnded(callId, step));
      if (step.tool !== undefined) tool(callId, step);
      return callId;
    },
    untracked(place) {
      append({ type: 'untracked-found', places: [place] });
    },
    changed(path, added, removed) {
      const after = { kept: true as const, blob: { sha256: 'b'.repeat(64), bytes: 10 }, mode: 0o644 };
      append({
        type: 'file-changed',
        path,
        before: null,
        after,
        by: 'model',
        toolCallId: null,
        added,
        removed,
        undoes: [],
      });
    },
    end(reason, text) {
      append({ type: 'turn-ended', reason, text, confidence: reason === 'done' ? 'high' : null, failure: null });
      turnId = '';
    },
  };
}

function ended(output: string, exitCode: number | null, durationMs: number) {
  return { status: 'ok', output, full: null, exitCode, durationMs, data: null, dataBlob: null } as const;
}

function callEnded(callId: string, step: Stepped): NewEvent {
  const price = step.stage === 'cloud' ? cloudPrice : localPrice;
  const usage: Usage = {
    freshInput: 64,
    cacheRead: 2040,
    cacheWrite: 0,
    output: 38,
    reasoning: 0,
    estimated: false,
    ...step.usage,
  };
  const totalMs = step.ms ?? 900;
  return {
    type: 'model-call-ended',
    callId,
    parts: step.text === undefined ? [] : [{ type: 'text', text: step.text }],
    stopReason: 'stop',
    usage,
    evaluatedTokens: usage.freshInput,
    timings: { queuedMs: 0, prefillMs: totalMs * 0.1, decodeMs: totalMs * 0.9, totalMs },
    price,
    costUsd: costOf(usage, price),
    error: null,
  };
}

function requestOf() {
  return {
    messages: [
      { role: 'system', text: 'You work on a project with the tools you are given.\n'.repeat(30) },
      { role: 'user', text: 'The test in dates.py fails since Monday. Find out why and fix it.' },
      { role: 'assistant', text: 'read_file {"path": "dates.py"}' },
      { role: 'tool', text: 'def week_of(day): …\n'.repeat(60) },
    ],
    tools: ['read_file', 'edit_file', 'search', 'run_tests'].map((name) => ({ name, bytes: 420 })),
  };
}

/** The route of a step, with the reasons for its place. */
function routeOf(callId: string, name: 'local' | 'cloud'): EventOf<'route-decided'> {
  const { model, where } = stages[name];
  const other = stages[name === 'cloud' ? 'local' : 'cloud'];
  const isCloud = name === 'cloud';
  return {
    type: 'route-decided',
    v: 2,
    seq: 1,
    at: 0,
    callId,
    chosen: { model, where },
    runnerUp: { model: other.model, where: other.where },
    reasonCode: isCloud ? 'bad-signals' : 'local-first',
    reason: 'By the votes.',
    layer: isCloud ? 'L5' : 'L1',
    gain: 0.58,
    votes: [
      { rule: 'verification', toward: 'cloud', weight: 0.7, reason: 'The tests still fail after 2 edits.' },
      { rule: 'model-size', toward: 'local', weight: 0.5, reason: 'The local model is large.' },
    ],
    options: [
      { model: localModel, where: 'local', denied: null, costUsd: 0, seconds: 11, restUsd: 0.04 },
      { model: cloudModel, where: 'cloud', denied: null, costUsd: 0.0112, seconds: 4.2, restUsd: 0.19 },
    ],
  };
}
