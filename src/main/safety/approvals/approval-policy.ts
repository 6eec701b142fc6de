import type { ApprovalKind, ApproveMode } from '@shared/safety/approval-grants.ts';
import type { Access } from '../../tools/define.ts';
import type { SandboxTier } from '@shared/events/sandbox-events.ts';

/** After so many refusals of a kind a turn is not let to ask again: whoever floods hopes for a tired yes. */
export const maxRefusals = 3;

/** What a call may do without anybody being asked. */
export type CallRule = 'free' | 'approval' | 'refused';

/**
 * Inside the sandbox nobody is asked; at its boundary somebody is. `plan` and a tier without commands are read-only.
 * A tool never asks by itself.
 */
export function callRule(access: Access, tier: SandboxTier, plan: boolean): CallRule {
  switch (access) {
    case 'read':
    case 'end':
    // Each host is asked for by `requestWeb`.
    case 'web':
      return 'free';
    case 'write':
    case 'execute':
      return plan || tier === 'read-only' ? 'refused' : 'free';
    case 'network':
      return plan || tier === 'read-only' ? 'refused' : 'approval';
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
];

/**
 * What the user's `--approve` says to a question before a person is asked. A fence is left, and a project's instructions
 * are followed, by a person's own yes alone. An account is connected, and what a server asks is answered, by a person.
 */
export function standingAnswer(mode: ApproveMode, kind: ApprovalKind): ApproveMode {
  return mode === 'allow' && personal.includes(kind) ? 'deny' : mode;
}
