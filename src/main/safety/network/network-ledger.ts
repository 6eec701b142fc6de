import type { SessionEvent } from '@shared/events/events.ts';
import { isImportedHistory } from '@shared/safety/approval-grants.ts';
import type { SessionQuestion } from '@shared/safety/session-answers.ts';
import { createSessionAnswers, isGranted, isRefused } from '@shared/safety/session-answers.ts';
import { z } from 'zod';

/** What has met in a session, each for good once it is true. */
export interface SessionExposure {
  /** A model has seen content of the person's project. */
  readonly private: boolean;
  /** Text or files came in from outside, or a model has seen a package that others wrote. */
  readonly untrusted: boolean;
  /** A model has seen content of a project that others wrote, too; null: not that it is known. Where it came from. */
  readonly foreign: string | null;
  /** Something went out by a command. */
  readonly outward: boolean;
}

/** What the log says about the network of a session: a fold of its events. */
export interface NetworkLedger {
  readonly add: (event: SessionEvent) => void;
  readonly exposure: () => SessionExposure;
  /** Hosts to which a person said yes for the session. */
  readonly granted: () => ReadonlySet<string>;
  /** How often a person has said no to a network in the turn that runs. */
  readonly refusals: () => number;
}

/** Tools whose results hold nothing of a project. */
const tellsNothing: ReadonlySet<string> = new Set(['task_complete']);

/** Folders with what others wrote, in every project. */
const packages = /(?:^|\/)(?:node_modules|site-packages|\.venv|\.tox|vendor)\//;
const pathSchema = z.object({ path: z.string() });

function isOfPackage(input: unknown): boolean {
  const given = pathSchema.safeParse(input);
  return given.success && packages.test(`${given.data.path}/`);
}

export function createNetworkLedger(): NetworkLedger {
  let hasProject = false;
  let bits: SessionExposure = { private: false, untrusted: false, foreign: null, outward: false };
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
          // Once is enough: a model could have taken the traces away since.
          cameFrom ??= event.cameFrom ?? null;
          return;
        case 'tool-started':
          if (isOfPackage(event.input)) bits = { ...bits, untrusted: true };
          // Its answer is text from outside, wherever it runs.
          if (event.foreign !== undefined)
            bits = { ...bits, untrusted: true, outward: bits.outward || event.foreign.leaves };
          return;
        case 'user-message-added':
          if (event.attachments?.some(({ source }) => source !== undefined)) bits = { ...bits, untrusted: true };
          return;
        case 'turn-started':
          askedBefore = answers.all().length;
          return;
        case 'history-copied':
          // All of it is somebody else's words.
          if (isImportedHistory(event)) bits = { ...bits, untrusted: true };
          return;
        case 'tool-ended':
          if (hasProject && !tellsNothing.has(event.tool)) bits = { ...bits, private: true, foreign: cameFrom };
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
  const lasting = asked.filter((one) => isGranted(one) && (one.said?.scope ?? 'once') !== 'once');
  return new Set(lasting.flatMap(({ hosts }) => hosts ?? []));
}
