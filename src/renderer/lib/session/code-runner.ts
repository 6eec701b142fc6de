import { createContext } from 'react';
import type { CodeLanguage } from '@shared/sandbox/sandbox-view.ts';

/** Where code on the page can run: in the sandbox of its session. */
export interface CodeRunner {
  readonly sessionId: string;
  /** The agent works, so the user cannot run code. */
  readonly isBusy: boolean;
}

/** Null: code cannot be run here. */
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

/** The language to run code as, from the word after its fence; null when it cannot be run. */
export function runnableAs(language: string): CodeLanguage | null {
  const name = language.toLowerCase();
  return Object.hasOwn(languages, name) ? (languages[name] ?? null) : null;
}
