import { type } from '@orpc/contract';
import { z } from 'zod';
import type { EditorId } from '@shared/settings/known-editors.ts';
import { base } from './contract-base.ts';
import type { SessionsOutcome } from './sessions-contract.ts';

/** A draft for a new task, and where it comes from. Nothing is sent until the user sends it. */
export interface GivenTask {
  readonly text?: string;
  /** Where the text comes from. Anybody can write a link. */
  readonly from?: 'link' | 'clipboard';
  /** The text was longer and was cut. */
  readonly isCut?: boolean;
  readonly project?: string;
  /** `data` is base64. */
  readonly files?: readonly { readonly name: string; readonly data: string }[];
}

/**
 * What the host asks of the page: to show a session (from a link or a notification; `isAsking`: to show its open
 * question), to begin a new task, to do an action of its own, or to report that something did not work.
 */
export type HostPush =
  | { readonly type: 'session'; readonly sessionId: string; readonly isAsking?: boolean }
  | ({ readonly type: 'new' } & GivenTask)
  | { readonly type: 'problem'; readonly text: string }
  | { readonly type: 'action'; readonly id: string };

/**
 * The endpoint where other programs ask models. `url` is null while it is off. `problem`: why it is off although it
 * should be on.
 */
export interface OwnEndpoint {
  readonly isOn: boolean;
  readonly url: string | null;
  readonly problem: string | null;
}

const sessionId = z.string().min(1).max(100);

/** What the host of the page does by itself. Only a window offers it. The user has chosen every path. */
export const hostContract = {
  /**
   * `refused`: the commands that this host does not allow (`settings.set`, `sandboxes.terminal` …). `roots`: the
   * folders that hold projects, for a page that may not know paths; it names a folder by a root and the way from there.
   */
  info: base.output(type<{ isWindow: boolean; refused: readonly string[]; roots?: readonly string[] }>()),
  /** Here and below, null means that the user chose nothing. */
  chooseFolder: base.output(type<{ path: string | null }>()),
  /** A GGUF file. */
  chooseModelFile: base.output(type<{ path: string | null }>()),
  /** Any program of this machine. */
  chooseProgram: base.output(type<{ path: string | null }>()),
  /**
   * A picture (PNG, as base64) of a screen or a window that the user chooses in a list of the system. Before that,
   * nothing is captured.
   */
  takeScreenshot: base.output(type<{ data: string | null }>()),
  exportSession: base
    .input(z.object({ sessionId }))
    .output(type<{ path: string | null; missing: number; branches: number }>()),
  /** Writes one file for each session into a folder that the user chooses. `folder` is null when none was chosen. */
  exportSessions: base
    .input(z.object({ sessionIds: z.array(sessionId).min(1).max(10_000) }))
    .output(type<SessionsOutcome & { folder: string | null; missing: number }>()),
  importSession: base.output(type<{ sessionId: string | null }>()),
  /** Opens another window of the same app, with a session if one is named. */
  openWindow: base.input(z.object({ sessionId: sessionId.optional() })).output(type<void>()),
  /** What this window shows, in the page's own words. The page gets it back when the app starts again. */
  keepView: base.input(z.object({ view: z.string().max(200) })).output(type<void>()),
  /** Opens a file of a session in the editor from the settings, or in the system's default program if none is set. */
  openFile: base
    .input(z.object({ sessionId, path: z.string().min(1).max(4096), line: z.number().int().positive().optional() }))
    .output(type<{ editor: string }>()),
  /** Opens the address of the waiting sign-in in the user's browser. The page never names an address. */
  openSignIn: base
    .input(z.object({ kind: z.enum(['server', 'provider']), name: z.string().min(1).max(100) }))
    .output(type<void>()),
  /** Whether the app lets other programs ask its models. This lasts as long as the app runs. */
  endpoint: base.output(type<OwnEndpoint>()),
  switchEndpoint: base.input(z.object({ isOn: z.boolean() })).output(type<OwnEndpoint>()),
  /** The known editors that are installed on this machine. */
  editors: base.output(type<readonly EditorId[]>()),
  pushes: base.output(type<AsyncIterable<HostPush>>()),
};
