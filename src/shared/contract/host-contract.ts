import { type } from '@orpc/contract';
import { z } from 'zod';
import type { EditorId } from '@shared/settings/known-editors.ts';
import { base } from './contract-base.ts';
import type { SessionsOutcome } from './sessions-contract.ts';

/** What a new task begins with, and who gave it. Nothing of it is sent before a person does so. */
export interface GivenTask {
  readonly text?: string;
  /** Who wrote the text. A link is anybody's. */
  readonly from?: 'link' | 'clipboard';
  /** There was more of it. */
  readonly isCut?: boolean;
  readonly project?: string;
  /** In base64. */
  readonly files?: readonly { readonly name: string; readonly data: string }[];
}

/** What happens around the page: a session is to be shown (a link, a notification; `isAsking`: its question is to be
 * answered), a new task to be begun, an action of its own to be done, or something did not work. */
export type HostPush =
  | { readonly type: 'session'; readonly sessionId: string; readonly isAsking?: boolean }
  | ({ readonly type: 'new' } & GivenTask)
  | { readonly type: 'problem'; readonly text: string }
  | { readonly type: 'action'; readonly id: string };

/** The way by which other programs ask models. `url`: null while it is off. `problem`: why it is not on although it should be. */
export interface OwnEndpoint {
  readonly isOn: boolean;
  readonly url: string | null;
  readonly problem: string | null;
}

const sessionId = z.string().min(1).max(100);

/** What the program around the page does by itself: only a window has it. A path is always one that a person chose. */
export const hostContract = {
  /**
   * `refused`: what this host does not let through (`settings.set`, `sandboxes.terminal` …). `roots`: where projects lie,
   * for a page that may not know paths; it names a folder by one of these and the way from there.
   */
  info: base.output(type<{ isWindow: boolean; refused: readonly string[]; roots?: readonly string[] }>()),
  /** Null, here and below: the person chose nothing. */
  chooseFolder: base.output(type<{ path: string | null }>()),
  exportSession: base.input(z.object({ sessionId })).output(type<{ path: string | null; missing: number }>()),
  /** A file for each, in a folder that the person chooses; `folder` null: none was. */
  exportSessions: base
    .input(z.object({ sessionIds: z.array(sessionId).min(1).max(10_000) }))
    .output(type<SessionsOutcome & { folder: string | null; missing: number }>()),
  importSession: base.output(type<{ sessionId: string | null }>()),
  /** Another window of the same app, on a session where one is named. */
  openWindow: base.input(z.object({ sessionId: sessionId.optional() })).output(type<void>()),
  /** What this window shows, in the page's own words: it gets them back when the app is started again. */
  keepView: base.input(z.object({ view: z.string().max(200) })).output(type<void>()),
  /** Opens a file of a session in the editor that the settings name; empty: in what the system opens it with. */
  openFile: base
    .input(z.object({ sessionId, path: z.string().min(1).max(4096), line: z.number().int().positive().optional() }))
    .output(type<{ editor: string }>()),
  /** Opens the address of the sign-in that waits, in the person's browser. The page names no address. */
  openSignIn: base
    .input(z.object({ kind: z.enum(['server', 'provider']), name: z.string().min(1).max(100) }))
    .output(type<void>()),
  /** Whether the app lets other programs ask its models, for as long as it runs. */
  endpoint: base.output(type<OwnEndpoint>()),
  switchEndpoint: base.input(z.object({ isOn: z.boolean() })).output(type<OwnEndpoint>()),
  /** The known editors that this machine has. */
  editors: base.output(type<readonly EditorId[]>()),
  pushes: base.output(type<AsyncIterable<HostPush>>()),
};
