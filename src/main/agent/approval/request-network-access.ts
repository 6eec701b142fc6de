import { z } from 'zod';
import { isRecord } from '@shared/unknown-value.ts';
import { failure, type Reply } from '@shared/errors.ts';
import { areOfItself, type ApprovalScope, type NetworkUse } from '@shared/safety/network-access.ts';
import { packagesNamedIn } from '../../sandbox/packages/package-commands.ts';
import type { HostUse } from '../../safety/network/network-policy.ts';
import { askedHosts } from '../../safety/network/session-network.ts';
import type { NetworkDecision } from '../../sandbox/network/network-decision.ts';
import type { NetworkRequest, NetworkResult } from '../../sandbox/sandbox.ts';
import type { NetworkCommand } from '../../tools/define.ts';
import { waitForUserAnswer } from './request-approval.ts';
import type { UserAnswer } from '../../safety/approvals/approver.ts';
import type { AskingTurn, Turn } from '../turn/turn.ts';
import { sha256Of } from '../../lib/sha256.ts';

/** The arguments with which any tool call asks for network access. */
const wishSchema = z.object({
  command: z.string(),
  network: z.object({ hosts: z.array(z.string()), why: z.string() }),
});

/**
 * For a command that asks for network access without naming hosts (`network_enabled`): asks for the hosts of the
 * addresses in the command. If there are none, the model is told how to name them.
 */
export function withNetwork(input: unknown): unknown {
  if (!isRecord(input) || typeof input.command !== 'string' || input.network !== undefined) return input;
  const found = [...input.command.matchAll(/https?:\/\/([a-z0-9.-]{1,253})/giu)].map(([, host = '']) =>
    host.toLowerCase(),
  );
  const why = typeof input.why === 'string' && input.why.trim() !== '' ? input.why : '(The model gives no reason.)';
  return { ...input, network: { hosts: [...new Set(found)].slice(0, 16), why } };
}

/** `granted.run` runs only the approved command, byte for byte. */
export type NetworkAnswer =
  | { readonly type: 'no-wish' }
  /** `isMistake`: the model can correct the request and ask again. */
  | { readonly type: 'denied'; readonly text: string; readonly byNobody: boolean; readonly isMistake?: true }
  | {
      readonly type: 'granted';
      readonly run: (command: NetworkCommand, signal: AbortSignal) => Promise<Reply<NetworkResult>>;
    };

/** Decides about the network access that a call asks for, with question and answer in the log. Throws `cancelled`. */
export async function askNetwork(turn: AskingTurn, toolCallId: string, input: unknown): Promise<NetworkAnswer> {
  const wish = wishSchema.safeParse(input);
  if (!wish.success || (wish.data.network.hosts.length > 0 && areOfItself(wish.data.network.hosts)))
    return { type: 'no-wish' };
  const { command, network } = wish.data;
  if (network.hosts.length === 0) return { type: 'denied', text: howToName, byNobody: false, isMistake: true };
  const hosts = askedHosts(network.hosts);
  if (!hosts.ok) {
    const text = `${hosts.error.message} ${hosts.error.hint ?? ''}`;
    return { type: 'denied', text, byNobody: false, isMistake: true };
  }
  const sha256 = fingerprint(turn, command, hosts.value);
  const answer = await askHosts(turn, {
    kind: 'network',
    toolCallId,
    hosts: hosts.value,
    subject: command,
    sha256,
    why: network.why,
    use: 'command',
    ...(packagesNamedIn(command).length > 0 ? { note: keepingText } : {}),
  });
  if (answer.type === 'denied') return answer;
  return {
    type: 'granted',
    run: (asked, signal) =>
      runApproved(turn, { toolCallId, hosts: hosts.value, sha256, isSeen: answer.isSeen }, { asked, signal }),
  };
}

/** Hosts that a call wants to reach, and what for. */
export interface HostsWish {
  readonly kind: 'network' | 'web' | 'connected-tool';
  readonly toolCallId: string;
  /** Normalized host names. */
  readonly hosts: readonly string[];
  /** The command or the request. */
  readonly subject: string;
  /** Of exactly what would be done. */
  readonly sha256: string;
  /** In the model's words; absent: the model was not asked for a reason. */
  readonly why?: string;
  readonly use: HostUse;
  /** Something else that the user should know. */
  readonly note?: string;
  /** The part of the request that `subject` does not show. */
  readonly text?: string;
}

type HostsAnswer =
  /** `isSeen`: the user approved exactly this, rather than a rule or an earlier approval. */
  | { readonly type: 'granted'; readonly isSeen: boolean }
  | { readonly type: 'denied'; readonly text: string; readonly byNobody: boolean };

/** Decides about hosts, with question and answer in the log. Throws `cancelled`. */
export async function askHosts(turn: AskingTurn, wish: HostsWish): Promise<HostsAnswer> {
  const { kind, toolCallId, hosts, subject, sha256, why, use, note, text } = wish;
  const { approve, network: run = 'ask' } = turn.options;
  const usual = await turn.dependencies.network.decide(hosts, { run, approve, use });
  const said = usual.answer === 'ask' ? (turn.asking.announced?.({ kind, hosts }) ?? null) : null;
  const verdict = said === null ? usual : { ...usual, answer: said, reason: announcedTexts[said] };
  const approvalId = turn.dependencies.journal.newId('approval');
  const reason = note === undefined ? verdict.reason : `${verdict.reason} ${note}`;
  await turn.log.append({
    type: 'approval-requested',
    approvalId,
    toolCallId,
    kind,
    subject,
    sha256,
    hosts: [...hosts],
    ...(verdict.isOnce ? { isOnce: true } : {}),
    reason,
    ...(why === undefined ? {} : { why }),
    ...(text === undefined ? {} : { text }),
  });
  const question = { kind, subject, reason } as const;
  const answer = verdict.answer === 'ask' ? await waitForUserAnswer(turn, approvalId, question) : verdict.answer;
  const isAllowed = answer !== 'deny' && answer !== 'nobody';
  const scope = verdict.isOnce ? 'once' : scopeOf(answer);
  const by = verdict.answer !== 'ask' ? 'policy' : answer === 'nobody' ? 'nobody' : 'person';
  await turn.log.close({
    type: 'approval-answered',
    approvalId,
    answer: isAllowed ? 'allow' : 'deny',
    by,
    ...(isAllowed && by === 'person' ? { scope } : {}),
    ...(by === 'policy' ? { reason } : {}),
  });
  turn.log.check();
  if (!isAllowed) return { type: 'denied', text: deniedText(wish, by, reason), byNobody: by === 'nobody' };
  if (scope === 'project') await keepForProject(turn, hosts);
  return { type: 'granted', isSeen: by === 'person' };
}

const announcedTexts = {
  allow: 'The program was approved with this host.',
  deny: 'The program did not announce this host.',
} as const;

function scopeOf(answer: UserAnswer): ApprovalScope {
  return answer === 'allow-session' ? 'session' : answer === 'allow-project' ? 'project' : 'once';
}

/** A hash of everything that decides what would happen: the command, where it runs and what it reaches. */
function fingerprint(turn: Pick<Turn, 'dependencies'>, command: string, hosts: readonly string[]): string {
  const { tier, workspacePath } = turn.dependencies.sandbox;
  return sha256Of(JSON.stringify({ command, hosts, tier, workspacePath }));
}

function deniedText({ hosts, use }: HostsWish, by: 'person' | 'policy' | 'nobody', reason: string): string {
  const names = hosts.join(', ');
  if (use !== 'command') {
    if (by === 'person') return `Not sent: the person said no to ${names}. Go on without it.`;
    return by === 'nobody' ? `Not sent: a request to ${names}` : `Not sent to ${names}. ${reason}`;
  }
  if (by === 'person') return `Not run: the person said no to a network with ${names}. Go on without it.`;
  if (by === 'nobody') return `Not run: a command with a network to ${names}`;
  return `Not run with a network to ${names}. ${reason}`;
}

async function keepForProject(turn: Pick<Turn, 'dependencies' | 'log'>, hosts: readonly string[]): Promise<void> {
  const kept = await turn.dependencies.network.remember(hosts);
  if (kept.ok) return;
  const text = `The hosts are allowed for this session, but could not be saved for the project: ${kept.error.message}`;
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'rule-not-kept', text });
}

interface Approved {
  readonly toolCallId: string;
  readonly hosts: readonly string[];
  readonly sha256: string;
  /** The user approved exactly this command, rather than a rule or an earlier approval. */
  readonly isSeen: boolean;
}

async function runApproved(
  turn: Pick<Turn, 'dependencies' | 'log'>,
  approved: Approved,
  { asked, signal }: { readonly asked: NetworkCommand; readonly signal: AbortSignal },
): Promise<Reply<NetworkResult>> {
  if (fingerprint(turn, asked.command, approved.hosts) !== approved.sha256)
    return failure('refused', 'What would run is not what was approved. Nothing was run.');
  const uses = createNetworkUses(approved.toolCallId);
  const request: NetworkRequest = {
    command: asked.command,
    timeoutMs: asked.timeoutMs,
    hosts: approved.hosts,
    keepsPackages: approved.isSeen ? 'project' : 'session',
    onDecision: uses.add,
    ...(asked.onOutput === undefined ? {} : { onOutput: asked.onOutput }),
  };
  const reply = await turn.dependencies.sandbox.runWithNetwork(request, signal);
  await uses.end(turn);
  for (const { isKept, text } of reply.ok ? (reply.value.packages ?? []) : []) {
    const about = `${text} The command: ${asked.command.slice(0, 200)}${isKept || !reply.ok ? '' : ` It said: ${endOf(reply.value)}`}`;
    const code = isKept ? 'packages-changed' : 'packages-not-installed';
    await turn.log.close({ type: 'notice-added', level: isKept ? 'info' : 'warning', code, text: about });
  }
  return reply;
}

const howToName =
  'Not run: say which hosts it has to reach, and why: "network": {"hosts": ["files.example.org"], "why": "…"}. The person is asked.';

const keepingText =
  'What it installs stays with the packages of this project, for later sessions too where you say yes to it yourself.';

/** The end of the output, where an installer says why it failed. */
function endOf({ stdout, stderr }: NetworkResult): string {
  const text = (stderr.trim() === '' ? stdout : stderr).trim();
  return text.length <= 600 ? text : `…${text.slice(-600)}`;
}

/** Counts what one call reached, and logs it at the end. */
export function createNetworkUses(toolCallId: string): {
  readonly add: (decision: NetworkDecision) => void;
  readonly end: (turn: Pick<Turn, 'log'>) => Promise<void>;
} {
  const uses = new Map<string, NetworkUse>();
  return {
    add: (decision) => count(uses, toolCallId, decision),
    end: async (turn) => {
      for (const use of uses.values()) await turn.log.close({ type: 'network-used', ...use });
    },
  };
}

/** Further kinds are counted together, because a command can invent any number of names. */
const mostKinds = 100;

function count(uses: Map<string, NetworkUse>, toolCallId: string, decision: NetworkDecision): void {
  const { port, isAllowed, reason, address, sentBytes, receivedBytes } = decision;
  const own = JSON.stringify([decision.host, port, isAllowed, reason]);
  const isFull = uses.size >= mostKinds && !uses.has(own);
  const key = isFull ? JSON.stringify([isAllowed, reason]) : own;
  const before = uses.get(key);
  uses.set(key, {
    toolCallId,
    host: isFull ? '(others)' : decision.host,
    port: isFull ? null : port,
    isAllowed,
    reason,
    address: before?.address ?? (isFull ? null : address),
    count: (before?.count ?? 0) + 1,
    sentBytes: (before?.sentBytes ?? 0) + sentBytes,
    receivedBytes: (before?.receivedBytes ?? 0) + receivedBytes,
  });
}
