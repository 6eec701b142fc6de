import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { SessionNews, WatchedSession } from '@shared/session/session-news.ts';
import { endedTurn, hasUnseenEnd, isNewsWanted, sessionNews } from '@shared/session/session-news.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { useStableCallback } from '../drawing/use-stable-callback.ts';
import { useClient } from '../connection/core-context.ts';
import { mayNotify } from './may-notify.ts';
import { t } from '../text/translate.ts';
import type { SessionsLoad } from '../session/use-sessions.ts';
import type { View } from '../window/use-view.ts';

interface Watching {
  readonly load: SessionsLoad;
  readonly view: View;
  readonly show: (view: View) => void;
}

/** If the browser allows it, tells a user who is looking elsewhere that a long task has ended or waits. */
export function useNotifications({ load, view, show }: Watching): void {
  const client = useClient();
  const watched = useRef<ReadonlyMap<string, WatchedSession>>(new Map());
  const notify = useQuery({
    queryKey: ['settings', 'notify'],
    queryFn: ({ signal }) => client.settings.get({ key: 'notify' }, { signal }),
  }).data;
  const tell = useRef<(news: SessionNews) => void>(() => undefined);
  useEffect(() => {
    tell.current = (news) => {
      const isInFront = document.hasFocus() && view.type === 'session' && view.sessionId === news.sessionId;
      if (mayNotify() && !isInFront && isNewsWanted(news, notify)) notifyOf(news, show);
    };
  });
  useEffect(() => {
    if (load.type !== 'ready') return;
    const round = sessionNews(watched.current, load.sessions, load.readAt);
    watched.current = round.watched;
    for (const news of round.news) tell.current(news);
  }, [load]);
}

function notifyOf({ sessionId, title, what }: SessionNews, show: (view: View) => void): void {
  // One for each session: a newer one replaces the older one.
  const notification = new Notification(title === '' ? t('notify.untitled') : seenWords(title), {
    body: t(`notify.${what}`),
    tag: sessionId,
  });
  notification.addEventListener('click', () => {
    window.focus();
    notification.close();
    show({ type: 'session', sessionId, isAsking: what === 'waits' });
  });
}

/** Notes that the user has looked at the end of a task: it is on the screen, and the window has the focus. */
export function useSeenEnd(sessionId: string, state: SessionState, onSeen: () => void): void {
  const client = useClient();
  const seen = useStableCallback(onSeen);
  const ended = hasUnseenEnd(state) ? endedTurn(state) : null;
  useEffect(() => {
    if (ended === null) return;
    let isNoted = false;
    const note = (): void => {
      if (isNoted || document.hidden || !document.hasFocus()) return;
      isNoted = true;
      // If it is not noted, the list shows it as new until it is looked at again.
      client.sessions.organize({ sessionIds: [sessionId], isSeen: true }).then(seen, () => undefined);
    };
    note();
    window.addEventListener('focus', note);
    return () => window.removeEventListener('focus', note);
  }, [client, sessionId, ended, seen]);
}
