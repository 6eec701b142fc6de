import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import type { KeptHere } from '@shared/safety/receipt.ts';

/** What the log of a session knows about what left, and what did not. */
export interface ReceiptFacts {
  readonly sessionId: string;
  readonly beganAt: number | null;
  /** By the number of the step: why it ran there, and its request. */
  readonly steps: ReadonlyMap<number, { readonly why: readonly string[]; readonly request: BlobRef }>;
  /** By the id of the tool call: why it was allowed, and the files that it named. */
  readonly tools: ReadonlyMap<string, { readonly why: readonly string[]; readonly files: readonly string[] }>;
  /** Tool servers that the session called in that time. */
  readonly servers: readonly string[];
  readonly kept: readonly KeptHere[];
}

type Of<Type extends SessionEvent['type']> = EventOf<Type>;

/** Approvals without which something would have left. */
const outward: readonly string[] = ['network', 'web', 'fence', 'connected-tool', 'connection', 'image', 'server-model'];

interface Folded {
  readonly steps: Map<number, { why: string[]; request: BlobRef }>;
  readonly tools: Map<string, { why: string[]; files: string[] }>;
  readonly routes: Map<string, Of<'route-decided'>>;
  readonly fenced: Map<number, string[]>;
  readonly asked: Map<string, Of<'approval-requested'>>;
  readonly use: (server: string) => void;
  readonly keep: (kind: KeptHere['kind'], what: string, bytes?: number | null) => void;
}

/**
 * Folds a session's log into what a receipt says beside its numbers. `isIn`: whether what was kept here or used at that
 * time belongs into the receipt.
 */
export function createFactsFold(sessionId: string, isIn: (at: number) => boolean = () => true) {
  const kept = new Map<string, KeptHere>();
  const servers = new Set<string>();
  let beganAt: number | null = null;
  let isCounted = true;
  const folded: Folded = {
    steps: new Map(),
    tools: new Map(),
    routes: new Map(),
    fenced: new Map(),
    asked: new Map(),
    use: (server) => {
      if (isCounted) servers.add(server);
    },
    keep: (kind, what, bytes = null) => {
      if (!isCounted) return;
      const before = kept.get(`${kind} ${what}`);
      const sum = bytes === null ? (before?.bytes ?? null) : (before?.bytes ?? 0) + bytes;
      kept.set(`${kind} ${what}`, { kind, what, sessionId, count: (before?.count ?? 0) + 1, bytes: sum });
    },
  };
  return {
    add(event: SessionEvent): void {
      beganAt ??= event.at;
      isCounted = isIn(event.at);
      addEvent(folded, event);
    },
    facts: (): ReceiptFacts => ({
      sessionId,
      beganAt,
      steps: folded.steps,
      tools: folded.tools,
      servers: [...servers],
      kept: [...kept.values()],
    }),
  };
}

function addEvent(folded: Folded, event: SessionEvent): void {
  switch (event.type) {
    case 'route-decided':
      folded.routes.set(event.callId, event);
      return;
    case 'model-call-started':
      return addCall(folded, event);
    case 'call-fenced':
      return addFinding(folded, event);
    case 'tool-started':
      toolIn(folded, event.toolCallId).files.push(...(event.files ?? []).map(({ path }) => path));
      if (event.connected !== undefined) folded.use(event.connected.server);
      return;
    case 'approval-requested':
      folded.asked.set(event.approvalId, event);
      return;
    case 'approval-answered':
      return addAnswer(folded, event);
    case 'network-used':
      if (!event.isAllowed) folded.keep('refused', `${shortened(event.host)}: ${event.reason}`);
      return;
    default:
  }
}

function toolIn({ tools }: Folded, id: string): { why: string[]; files: string[] } {
  const known = tools.get(id) ?? { why: [], files: [] };
  tools.set(id, known);
  return known;
}

function addCall({ routes, fenced, steps, keep }: Folded, event: Of<'model-call-started'>): void {
  const route = routes.get(event.callId);
  const why = [...(route === undefined ? [] : [route.reason]), ...(fenced.get(event.step) ?? [])];
  steps.set(event.step, { why, request: event.request });
  if (route?.chosen.where !== 'local' || route.runnerUp?.where !== 'cloud') return;
  keep('local', `The router chose ${route.chosen.model}, not ${route.runnerUp.model}`, event.promptBytes);
}

function addFinding({ fenced, keep }: Folded, { step, outcome, hits, text }: Of<'call-fenced'>): void {
  const names = shortened([...new Set(hits.map(({ rule, path }) => path ?? rule))].join(', '));
  switch (outcome) {
    case 'refused':
      return keep('fence', `A rule kept it here: ${names}`);
    case 'redacted':
      fenced.set(step, [`A rule hid values in it: ${shortened(text)}`]);
      return keep('redacted', `Hidden before it was sent: ${names}`);
    case 'asked':
      fenced.set(step, [`You allowed what a rule asks about: ${names}`]);
      return;
    default:
      outcome satisfies never;
  }
}

const answerers = { person: 'You', policy: 'Your rules', nobody: 'Nobody' } as const;

function addAnswer(folded: Folded, { approvalId, answer, by, scope, reason }: Of<'approval-answered'>): void {
  const question = folded.asked.get(approvalId);
  if (question === undefined || !outward.includes(question.kind)) return;
  const what = shortened(question.hosts === undefined ? question.subject : question.hosts.join(', '));
  if (answer === 'deny') {
    folded.keep('denied', by === 'nobody' ? `Nobody answered: ${what}` : `${answerers[by]} denied it: ${what}`);
    return;
  }
  const held = scope === undefined || scope === 'once' ? 'this once' : `for: ${scope}`;
  const because = reason === undefined ? '' : ` (${reason})`;
  toolIn(folded, question.toolCallId).why.push(`${answerers[by]} allowed it ${held}: ${what}${because}`);
}

const longest = 300;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)} …` : line;
}
