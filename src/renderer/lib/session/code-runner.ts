import { createContext } from 'react';
import type { CodeLanguage } from '@shared/sandbox/sandbox-view.ts';

/** Where code that is shown can be run: the sandbox of the session that shows it. */
export interface CodeRunner {
  readonly sessionId: string;
  /** The agent works: nothing of a person's own is run beside it. */
  readonly isBusy: boolean;
}

/** Null: nothing is run here. */
export const CodeRunnerContext = createContext<CodeRunner | null>(null);

const languages: Readonly<Record<string, CodeLanguage>> = {
  bash: 'shell',
  sh: 'shell',
  shell: 'shell',
  zsh: 'shell',
  py: 'python',
  python: 'python',
  python3: 'python',
  js: 'javascript',
  javascript: 'javascript',
  mjs: 'javascript',
  node: 'javascript',
};

/** How code is run, by its language as after a fence; null: it is not. */
export function runnableAs(language: string): CodeLanguage | null {
  const name = language.toLowerCase();
  return Object.hasOwn(languages, name) ? (languages[name] ?? null) : null;
}
