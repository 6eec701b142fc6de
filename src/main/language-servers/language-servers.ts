import { memo } from '../lib/memo.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { CodeQuestions, type QuestionLimits } from './code-questions.ts';
import { findNewErrors, type EditedFile, type NewErrors, type NewErrorsWait } from './new-errors.ts';
import { languageFor } from './server-table.ts';
import { SessionServers } from './session-servers.ts';

/** What language servers know of the workspace of one sandbox. Nothing is started before it is asked for. */
export interface LanguageServers {
  readonly questions: CodeQuestions;
  /** The names of the servers that know one of these files. */
  readonly namesFor: (paths: readonly string[], signal: AbortSignal) => Promise<readonly string[]>;
  /** Starts the server for a file, if there is one, and does not wait for it. */
  readonly warm: (path: string) => void;
  readonly newErrors: (edited: readonly EditedFile[], wait: NewErrorsWait) => Promise<NewErrors>;
}

export type LanguageServersOf = (sandbox: Sandbox) => LanguageServers;

const usualLimits: QuestionLimits = { answerMs: 20_000, settleMs: 20_000 };

/** The same servers for the same sandbox. They are processes in it, and end with it. */
export function createLanguageServers(limits = usualLimits): LanguageServersOf {
  return memo((sandbox: Sandbox) => {
    const servers = new SessionServers(sandbox);
    return {
      questions: new CodeQuestions(servers, limits),
      namesFor: async (paths, signal) => {
        const found = await servers.find(signal);
        return found
          .filter(({ kind }) => paths.some((path) => languageFor(kind, path) !== null))
          .map(({ kind }) => kind.name);
      },
      warm: (path) => void servers.warm(path),
      newErrors: (edited, wait) => findNewErrors(servers, edited, wait),
    };
  });
}
