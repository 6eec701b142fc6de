import { type } from '@orpc/contract';
import { z } from 'zod';
import { base } from './contract-base.ts';
import type { NetworkHistory, SandboxView, TerminalPush } from '@shared/sandbox/sandbox-view.ts';
import { terminalSizeSchema } from '@shared/sandbox/sandbox-view.ts';

const bySession = z.object({ sessionId: z.string().min(1).max(100) });
const byTerminal = z.object({ terminalId: z.string().min(1).max(100) });

/** The commands about the sandbox of one session. */
export const sandboxContract = {
  /** As it is, then every two seconds for as long as somebody listens. Starts none. */
  watch: base.input(bySession).output(type<AsyncIterable<SandboxView>>()),
  network: base.input(bySession).output(type<NetworkHistory>()),
  /**
   * A shell of a person's own in the sandbox of a session; starts a sandbox where none is kept. It ends when nobody
   * listens any more. Refused while the agent works, and so is what is typed then: what it changes would count as the agent's.
   */
  terminal: base.input(bySession.extend(terminalSizeSchema.shape)).output(type<AsyncIterable<TerminalPush>>()),
  type: base.input(byTerminal.extend({ text: z.string().max(1_000_000) })).output(type<void>()),
  resize: base.input(byTerminal.extend(terminalSizeSchema.shape)).output(type<void>()),
};
