import type { ApprovalKind, ApproveMode } from '@shared/safety/approval-grants.ts';
import type { Access } from '../../tools/define.ts';
import type { SandboxTier } from '@shared/events/sandbox-events.ts';
import type { TurnOptions } from '../../settings/turn-options.ts';

/**
 * After this many refusals of a kind, a turn may not ask again. Otherwise a flood of questions could wear the user
 * down.
 */
export const maxRefusals = 3;

/** What a call may do without asking the user. */
export type CallRule = 'free' | 'approval' | 'refused';

/**
 * Nobody is asked inside the sandbox; at its boundary the user is. A plan and a tier without commands are read-only. A
 * tool never decides this itself.
 */
export function callRule(access: Access, tier: SandboxTier, mode: TurnOptions['mode']): CallRule {
  switch (access) {
    case 'read':
    case 'end':
    // `requestWeb` asks about each host.
    case 'web':
      return 'free';
    case 'write':
    case 'execute':
      return mode === 'plan' || tier === 'read-only' ? 'refused' : 'free';
    case 'network':
      return mode === 'plan' || tier === 'read-only' ? 'refused' : 'approval';
    default:
      return access satisfies never;
  }
}

const personal: readonly ApprovalKind[] = [
  'fence',
  'instructions',
  'connection',
  'server-form',
  'server-link',
  'server-model',
  'memory',
];

/**
 * How `--approve` answers a question before the user is asked. Only the user's own yes can lift a fence, approve a
 * project's instructions, connect an account, answer a server or keep a line in the memory. A question of the agent asks for no permission, so it
 * always goes to the user.
 */
export function standingAnswer(mode: ApproveMode, kind: ApprovalKind): ApproveMode {
  if (kind === 'question') return 'ask';
  return mode === 'allow' && personal.includes(kind) ? 'deny' : mode;
}
