import type { SessionEvent } from '@shared/events/events.ts';
import { isImportedHistory } from '@shared/safety/approval-grants.ts';
import type { SessionQuestion } from '../session-answers.ts';
import { createSessionAnswers, isGranted, isRefused } from '../session-answers.ts';
import { z } from 'zod';

/** What has come together in a session. Each fact stays true once it is true. */
export interface SessionExposure {
  /** A model has seen content of the user's project. */
  readonly private: boolean;
  /** Text or files came in from outside, or a model has seen a package that others wrote. */
  readonly untrusted: boolean;
  /**
   * A model has seen content of a project that others may have written: where the project came from. Null: not as far
   * as is known.
   */
  readonly origin: string | null;
  /** Something was sent out. */
  readonly outward: boolean;
}

/** What the log says about the network of a session: a fold of its events. */
export interface NetworkLedger {
  readonly add: (event: SessionEvent) => void;
  readonly exposure: () => SessionExposure;
  /** Hosts that the user allowed for the session. */
  readonly granted: () => ReadonlySet<string>;
  /** How often the user has refused network access in the present turn. */
  readonly refusals: () => number;
}

/** Tools whose results contain nothing of a project. */
const tellsNothing: ReadonlySet<string> = new Set(['task_complete']);

/** Folders with packages that others wrote. */
const packages = /(?:^|\/)(?:node_modules|site-packages|\.venv|\.tox|vendor)\//;
const pathSchema = z.object({ path: z.string() });

function isOfPackage(input: unknown): boolean {
  const given = pathSchema.safeParse(input);
  return given.success && packages.test(`${given.data.path}/`);
}

export function createNetworkLedger(): NetworkLedger {
  let hasProject = false;
  let bits: SessionExposure = { private: false, untrusted: false, origin: null, outward: false };
  let cameFrom: string | null = null;
  const answers = createSessionAnswers();
  let askedBefore = 0;
  return {
    exposure: () => bits,
    granted: () => grantedHosts(answers.all()),
    refusals: () =>
      answers
        .all()
        .slice(askedBefore)
        .filter((one) => one.hosts !== null && isRefused(one)).length,
    add: (event) => {
      answers.add(event);
      switch (event.type) {
        case 'session-created':
          hasProject = event.projectPath !== null;
          return;
        case 'sandbox-started':
          // The first origin stays, because a model could have removed its traces since.
          cameFrom ??= event.cameFrom ?? null;
          return;
        case 'tool-started':
          if (isOfPackage(event.input)) bits = { ...bits, untrusted: true };
          // Its answer is text from outside, wherever it runs.
          if (event.connected !== undefined)
            bits = { ...bits, untrusted: true, outward: bits.outward || event.connected.leaves };
          return;
        case 'user-message-added':
          if (event.attachments?.some(({ source }) => source !== undefined)) bits = { ...bits, untrusted: true };
          return;
        case 'turn-started':
          askedBefore = answers.all().length;
          return;
        case 'history-copied':
          // All of an imported history was written by others.
          if (isImportedHistory(event)) bits = { ...bits, untrusted: true };
          return;
        case 'tool-ended':
          if (hasProject && !tellsNothing.has(event.tool)) bits = { ...bits, private: true, origin: cameFrom };
          return;
        case 'network-used':
          if (event.sentBytes > 0) bits = { ...bits, outward: true };
          if (event.receivedBytes > 0) bits = { ...bits, untrusted: true };
          return;
        default:
      }
    },
  };
}

function grantedHosts(asked: readonly SessionQuestion[]): ReadonlySet<string> {
  const lasting = asked.filter((one) => isGranted(one) && ['session', 'project'].includes(one.said?.scope ?? 'once'));
  return new Set(lasting.flatMap(({ hosts }) => hosts ?? []));
}
