import type { ApprovalScope } from '@shared/safety/network-access.ts';
import { z } from 'zod';
import type { NetworkUse } from '@shared/safety/network-access.ts';

/** What a sandbox uses of the machine at one moment. */
export interface SandboxUsage {
  /** Percent of one processor: 150 is one and a half. Null until two measurements exist. */
  readonly cpuPercent: number | null;
  /** Without the file cache, which the system frees when needed. */
  readonly memoryBytes: number | null;
  readonly memoryLimitBytes: number | null;
  readonly processes: number | null;
}

/** The state of a session's sandbox. */
export interface SandboxView {
  /** `none`: no sandbox exists now. The next message, or a terminal, starts one. */
  readonly state: 'none' | 'running' | 'gone';
  /** Null when nothing can be measured. */
  readonly usage: SandboxUsage | null;
  /** Files with secrets that commands see as empty. */
  readonly masked: readonly string[];
  /** Parts of the project with mounts of their own, so that a command cannot change or rename them. */
  readonly pinned: readonly { readonly path: string; readonly readOnly: boolean }[];
  readonly warnings: readonly string[];
  /** Number of open terminals of the user. */
  readonly terminals: number;
}

/** Hosts that a session's commands reached or wanted to reach, and the user's answers; latest last. */
export interface NetworkHistory {
  readonly uses: readonly (NetworkUse & { readonly at: number })[];
  readonly answers: readonly {
    readonly at: number;
    readonly hosts: readonly string[];
    readonly answer: 'allow' | 'deny';
    readonly scope: ApprovalScope;
    readonly by: string;
  }[];
}

/** In characters. */
export const terminalSizeSchema = z.object({
  columns: z.number().int().min(2).max(1000),
  rows: z.number().int().min(2).max(1000),
});
export type TerminalSize = z.infer<typeof terminalSizeSchema>;

/** The languages of code in an answer that the user can run. */
export const codeLanguages = ['shell', 'python', 'javascript'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** The code is passed as one argument of a command, and the length of an argument is limited. */
export const codeSchema = z.object({ language: z.enum(codeLanguages), code: z.string().min(1).max(60_000) });
export type CodeToRun = z.infer<typeof codeSchema>;

/** The output of a terminal. `ended` is the last push. */
export type TerminalPush =
  | { readonly type: 'opened'; readonly terminalId: string }
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'ended'; readonly exitCode: number | null };
