import type { Stage } from '@shared/models/model-info.ts';
import type { NewEvent, SessionEvent } from '@shared/events/events.ts';
import type { HunkChoices } from '@shared/events/tool-events.ts';
import { seeded } from '../../bench/lib/seeded.ts';

const stages: readonly [Stage, Stage] = [
  { strategy: 'recipe', model: 'fake/one', where: 'local' },
  { strategy: 'loop', model: 'other/two', where: 'cloud' },
];
const limits = { maxSteps: 10, maxMinutes: 5, maxTokens: 1000, maxUsd: null };
const usage = { freshInput: 10, cacheRead: 5, cacheWrite: 1, output: 20, reasoning: 2, estimated: false };
const timings = { queuedMs: 0, prefillMs: 10, decodeMs: 100, totalMs: 110 };

/** Events of all types in a possibly senseless order, because a fold must accept any log. */
export function sampleEvents(seed: number, count: number): readonly SessionEvent[] {
  const random = seeded(seed);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];
  const id = (kind: string): string => `${kind}-${Math.floor(random() * 6)}`;
  const image = (): { kept: true; blob: { sha256: string; bytes: number }; mode: number } | null =>
    random() < 0.3 ? null : { kept: true, blob: { sha256: pick(['a', 'b', 'c']).repeat(64), bytes: 3 }, mode: 0o644 };
  const hunks = (): HunkChoices => ({
    from: image(),
    to: image(),
    base: image(),
    moved: [0],
    added: pick([1, null]),
    removed: 1,
    states: [pick(['open', 'taken', 'undone']), pick(['open', 'taken', 'undone'])],
  });
  const make = (seq: number): NewEvent => {
    const turn = { turnId: id('turn') };
    const text = pick(['', 'short', 'long '.repeat(1000), '\u{1f600}'.repeat(1100)]);
    const all: readonly [NewEvent, ...NewEvent[]] = [
      {
        type: 'session-created',
        logVersion: 4,
        sessionId: 's',
        appVersion: '1',
        title: text,
        projectPath: null,
        workspace: { mode: 'copy', path: '/w' },
        parentId: null,
        groupId: null,
      },
      { type: 'session-repaired', reason: text, movedBytes: 1, movedTo: null },
      { type: 'sandbox-started', tier: 'container', image: null, description: 'd', limits: { memory: 1 } },
      { type: 'sandbox-lost', reason: 'r', recreated: random() < 0.5 },
      { type: 'untracked-found', places: [{ path: text, why: text, done: null }] },
      { type: 'service-changed', serviceId: id('s'), command: text, status: 'running', exitCode: null },
      { type: 'terminal-opened', terminalId: id('terminal') },
      { type: 'terminal-closed', terminalId: id('terminal'), exitCode: 0, durationMs: 1 },
      { type: 'user-message-added', messageId: id('message'), text, queued: random() < 0.5 },
      { type: 'message-delivered', messageId: id('message') },
      { type: 'message-dropped', messageId: id('message') },
      {
        type: 'turn-started',
        ...turn,
        messageId: id('message'),
        check: null,
        cascade: [...stages],
        limits,
      },
      {
        type: 'check-ended',
        ...turn,
        phase: pick(['before', 'after']),
        command: 'c',
        exitCode: 1,
        passed: false,
        summary: text,
      },
      {
        type: 'gate-checked',
        ...turn,
        by: pick(['changes', 'review']),
        verdict: pick(['pass', 'redo', 'none']),
        text,
        findings: [],
        callId: null,
      },
      {
        type: 'cache-prefilled',
        ...turn,
        model: 'fake/one',
        outcome: 'done',
        promptTokens: 10,
        evaluatedTokens: 5,
        tookMs: 100,
        text,
      },
      { type: 'stage-chosen', ...turn, stage: pick(stages), recipe: null, reason: 'r', index: 0, cause: null },
      {
        type: 'route-decided',
        ...turn,
        callId: id('call'),
        chosen: { model: 'm', where: 'local' },
        runnerUp: null,
        reasonCode: 'c',
        reason: text,
      },
      { type: 'engine-waited', ...turn, callId: id('call'), waitedMs: 5 },
      {
        type: 'model-call-started',
        ...turn,
        callId: id('call'),
        step: seq,
        purpose: 'act',
        stage: pick(stages),
        provider: 'p',
        model: 'm',
        request: { sha256: 'a'.repeat(64), bytes: 1 },
        promptTokens: 5,
      },
      {
        type: 'model-call-ended',
        ...turn,
        callId: id('call'),
        parts: [{ type: 'text', text }],
        stopReason: pick(['stop', 'error', 'cancelled']),
        usage,
        evaluatedTokens: 5,
        timings,
        price: null,
        costUsd: pick([0.25, 0, null]),
        error: null,
      },
      {
        type: 'tool-call-requested',
        ...turn,
        toolCallId: id('tool'),
        callId: id('call'),
        tool: 't',
        input: {},
        style: 'text',
        repairs: [],
      },
      {
        type: 'approval-requested',
        ...turn,
        approvalId: id('approval'),
        toolCallId: id('tool'),
        kind: 'k',
        subject: text,
        sha256: 'x',
      },
      { type: 'approval-answered', ...turn, approvalId: id('approval'), answer: 'allow', by: 'person' },
      {
        type: 'tool-started',
        ...turn,
        toolCallId: id('tool'),
        tool: 't',
        by: pick(['model', 'recipe']),
        input: {},
        label: text,
      },
      {
        type: 'tool-ended',
        ...turn,
        toolCallId: id('tool'),
        tool: 't',
        status: 'ok',
        output: text,
        full: null,
        exitCode: 0,
        durationMs: 1,
        data: null,
        dataBlob: null,
      },
      {
        type: 'file-changed',
        ...turn,
        path: id('path'),
        before: image(),
        after: image(),
        by: pick(['model', 'undo', 'take']),
        toolCallId: pick([null, 't']),
        added: pick([1, null]),
        removed: 1,
        undoes: random() < 0.3 ? [Math.max(1, seq - 1)] : [],
        ...(random() < 0.3 ? { hunks: hunks() } : {}),
      },
      { type: 'hunks-taken', path: id('path'), hunks: hunks() },
      {
        type: 'restore-began',
        checkpoint: id('message'),
        upToSeq: Math.floor(seq / 2),
        files: random() < 0.5,
        conversation: random() < 0.5,
        cutTurnId: pick([null, 'turn-1']),
      },
      {
        type: 'restore-ended',
        beganSeq: Math.max(1, seq - 1),
        outcome: pick(['done', 'interrupted']),
        restored: [id('path')],
        merged: [],
        kept: [{ path: id('path'), why: text }],
      },
      { type: 'changes-taken', paths: [id('path')], target: '/p' },
      { type: 'plan-progressed', ...turn, items: [{ text, state: pick(['open', 'working', 'done', 'dropped']) }] },
      { type: 'recipe-progressed', ...turn, recipe: 'r', phase: 'p', text, data: null },
      { type: 'context-compacted', ...turn, summary: text, replacesUpToSeq: 1, beforeTokens: 2, afterTokens: 1 },
      { type: 'observation-trimmed', ...turn, toolCallId: id('tool'), beforeTokens: 2, afterTokens: 1 },
      { type: 'answer-trimmed', ...turn, callId: id('call'), beforeTokens: 2, afterTokens: 1 },
      { type: 'session-moved', project: pick(['a1b2c3d4', null]), name: 'Ω' },
      { type: 'session-organized', isPinned: random() < 0.5, tags: pick([['a'], ['-bad', 'b'], []]) },
      { type: 'session-organized', isArchived: random() < 0.5, seen: id('turn') },
      { type: 'notice-added', level: 'info', code: 'c', text },
      { type: 'child-session-ended', sessionId: 'c', costUsd: pick([0.5, null]), usage },
      {
        type: 'turn-ended',
        ...turn,
        reason: pick(['done', 'cancelled', 'crashed']),
        text,
        confidence: null,
        failure: null,
      },
    ];
    return pick(all);
  };
  return Array.from({ length: count }, (_, index): SessionEvent => ({
    ...make(index + 1),
    v: 2,
    seq: index + 1,
    at: 1000 + index,
  }));
}
