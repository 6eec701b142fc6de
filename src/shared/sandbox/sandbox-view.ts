import { z } from 'zod';
import type { NetworkUse } from '@shared/safety/network-access.ts';

/** What a sandbox takes of the machine at one moment. */
export interface SandboxUsage {
  /** Of one processor: 150 is one and a half. Null: not known yet, for it takes two looks. */
  readonly cpuPercent: number | null;
  /** Without what the system keeps of files and gives back at need. */
  readonly memoryBytes: number | null;
  readonly memoryLimitBytes: number | null;
  readonly processes: number | null;
}

/** How it stands with the sandbox of a session. */
export interface SandboxView {
  /** `none`: none is kept now; the next message, or a terminal, starts one. */
  readonly state: 'none' | 'running' | 'gone';
  /** Null where nothing can be measured. */
  readonly usage: SandboxUsage | null;
  /** Files with secrets that commands find empty. */
  readonly masked: readonly string[];
  /** Parts of the project that are mounted by themselves, so that a command cannot change or rename them. */
  readonly pinned: readonly { readonly path: string; readonly readOnly: boolean }[];
  readonly warnings: readonly string[];
  /** Terminals of persons that are open in it. */
  readonly terminals: number;
}

/** What commands of a session reached or wanted to reach, and what a person said to it; the latest last. */
export interface NetworkHistory {
  readonly uses: readonly (NetworkUse & { readonly at: number })[];
  readonly answers: readonly {
    readonly at: number;
    readonly hosts: readonly string[];
    readonly answer: 'allow' | 'deny';
    readonly scope: 'once' | 'session' | 'project';
    readonly by: string;
  }[];
}

/** In characters. */
export const terminalSizeSchema = z.object({
  columns: z.number().int().min(2).max(1000),
  rows: z.number().int().min(2).max(1000),
});
export type TerminalSize = z.infer<typeof terminalSizeSchema>;

/** What a person can have run of an answer. */
export const codeLanguages = ['shell', 'python', 'javascript'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** The code stands in one argument of a command, and those have an end. */
export const codeSchema = z.object({ language: z.enum(codeLanguages), code: z.string().min(1).max(60_000) });
export type CodeToRun = z.infer<typeof codeSchema>;

/** What a terminal says; after `ended` nothing more comes. */
export type TerminalPush =
  | { readonly type: 'opened'; readonly terminalId: string }
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'ended'; readonly exitCode: number | null };
