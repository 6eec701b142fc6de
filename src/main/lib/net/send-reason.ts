import { AsyncLocalStorage } from 'node:async_hooks';

/** On whose behalf something leaves this process. It follows the work through every wait. */
export interface SendReason {
  readonly sessionId?: string | undefined;
  /** The folder of the project. */
  readonly project?: string | undefined;
  /** The command of the contract that was called. */
  readonly command?: string | undefined;
  /** The model, and the number of the step in the log of the session. */
  readonly model?: string | undefined;
  readonly step?: number | undefined;
  readonly tool?: string | undefined;
  readonly toolCallId?: string | undefined;
  /** A tool server. Its own traffic belongs to all sessions that use it. */
  readonly server?: string | undefined;
  /** Where it goes in the end, if the connection leads to something in between, or to a checked address. */
  readonly host?: string | undefined;
  /** It goes on from this machine, even if the connection ends on it. */
  readonly passesOn?: true | undefined;
}

const current = new AsyncLocalStorage<SendReason>();

export const reasonNow = (): SendReason => current.getStore() ?? {};

/** Runs the work with more of a reason. */
export function withReason<Result>(more: SendReason, work: () => Result): Result {
  return current.run({ ...reasonNow(), ...more }, work);
}

/** Runs the work with this reason and no other. */
export function withReasonOnly<Result>(reason: SendReason, work: () => Result): Result {
  return current.run(reason, work);
}

/** Carries the reason of now to callbacks that come from elsewhere, such as the pieces of a stream. */
export function keptReason(): <Result>(work: () => Result) => Result {
  const reason = reasonNow();
  return (work) => current.run(reason, work);
}
