import { useCallback, useEffect, useState } from 'react';
import type { GivenTask } from '@shared/contract/host-contract.ts';
import { useClient } from '../connection/core-context.ts';
import { useIsWindow } from '../connection/use-host-info.ts';

export type ReceiptAbout =
  | { readonly type: 'session'; readonly sessionId: string }
  | { readonly type: 'project'; readonly project: string };

/** What the middle of the window shows. */
export type View =
  /**
   * `project`: the folder to begin in; absent: that of the latest session. The other fields come from outside the page.
   */
  | ({ readonly type: 'new' } & GivenTask)
  /** The settings of one project. */
  | { readonly type: 'project'; readonly path: string }
  /** `at`: a place in it to show, by the id of a message, call or turn, and an event of it. */
  | {
      readonly type: 'session';
      readonly sessionId: string;
      readonly at?: { readonly ref: string; readonly seq?: number };
      /** The user comes to answer its question. */
      readonly isAsking?: boolean;
    }
  | { readonly type: 'tasks' }
  | { readonly type: 'bin' }
  | { readonly type: 'tools' }
  | { readonly type: 'assistants' }
  /** `at`: the part to show. */
  | { readonly type: 'models'; readonly at?: 'endpoints' | 'llama-server' }
  /** `task`: a task to begin with. `sessions`: their first messages are the tasks. */
  | {
      readonly type: 'compare';
      readonly task?: { readonly text: string; readonly project: string | null };
      readonly sessions?: readonly string[];
    }
  | { readonly type: 'costs' }
  /** What left this machine. `about`: absent: in this month. */
  | { readonly type: 'receipt'; readonly about?: ReceiptAbout }
  /** `at`: the section to show. `project`: whose memory to show there. */
  | {
      readonly type: 'settings';
      readonly at?: 'keys' | 'machine' | 'memory' | 'rules' | 'shortcuts';
      readonly project?: string;
    };

const key = 'dewpoint-view';
const sessionPrefix = 'session:';
const projectPrefix = 'project:';
const receiptPrefix = 'receipt:';

/** Stored for reloads of this window or tab. A window that opens again learns from its address what it showed. */
export function useView(): readonly [View, (view: View) => void] {
  const [view, setView] = useState(() => parse(sessionStorage.getItem(key) ?? fromAddress()));
  const show = useCallback((next: View): void => {
    setView(next);
    sessionStorage.setItem(key, viewText(next));
  }, []);
  useKeptByHost(viewText(view));
  return [view, show];
}

/** The host stores what the window shows, so that it opens there again, even after the app was killed. */
function useKeptByHost(text: string): void {
  const client = useClient();
  const isWindow = useIsWindow();
  useEffect(() => {
    // If it is not stored, it is only missing at the next start.
    if (isWindow) client.host.keepView({ view: text }).catch(() => undefined);
  }, [client, isWindow, text]);
}

function viewText(view: View): string {
  if (view.type === 'session') return sessionPrefix + view.sessionId;
  if (view.type === 'receipt' && view.about !== undefined) {
    const { about } = view;
    return receiptPrefix + (about.type === 'session' ? sessionPrefix + about.sessionId : projectPrefix + about.project);
  }
  return view.type === 'project' ? projectPrefix + view.path : view.type;
}

function fromAddress(): string | null {
  try {
    return decodeURIComponent(window.location.hash.slice(1));
  } catch {
    return null;
  }
}

function parse(kept: string | null): View {
  if (kept?.startsWith(sessionPrefix) === true) return { type: 'session', sessionId: kept.slice(sessionPrefix.length) };
  if (kept?.startsWith(projectPrefix) === true) return { type: 'project', path: kept.slice(projectPrefix.length) };
  if (kept?.startsWith(receiptPrefix) === true)
    return { type: 'receipt', ...receiptAbout(kept.slice(receiptPrefix.length)) };
  const others = ['tasks', 'models', 'compare', 'costs', 'receipt', 'settings', 'bin', 'tools', 'assistants'] as const;
  return { type: others.find((type) => type === kept) ?? 'new' };
}

function receiptAbout(kept: string): { readonly about?: ReceiptAbout } {
  if (kept.startsWith(sessionPrefix))
    return { about: { type: 'session', sessionId: kept.slice(sessionPrefix.length) } };
  if (kept.startsWith(projectPrefix)) return { about: { type: 'project', project: kept.slice(projectPrefix.length) } };
  return {};
}
