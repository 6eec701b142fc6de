import { Notification } from 'electron';
import type { SessionNews, Watched } from '@shared/session-news.ts';
import { isWanted, sessionNews } from '@shared/session-news.ts';
import type { CoreClient } from '../api/socket.ts';
import { texts } from './texts.ts';
import type { Windows } from './windows.ts';

const everyMs = 4_000;

/** Tells a person who looks at something else that a long task has ended or waits; a click shows it. */
export function notifyOfSessions(client: () => Promise<CoreClient>, windows: Windows): void {
  let watched: ReadonlyMap<string, Watched> = new Map();
  const look = async (): Promise<void> => {
    const core = await client();
    const round = sessionNews(watched, await core.sessions.list(), Date.now());
    ({ watched } = round);
    const inFront = windows.sessionInFront();
    if (round.news.length === 0 || !Notification.isSupported()) return;
    const notify = await core.settings.get({ key: 'notify' });
    for (const news of round.news) {
      if (news.sessionId !== inFront && isWanted(news, notify)) show(news, windows);
    }
  };
  // A core that is just being renewed is asked again in a moment.
  setInterval(() => void look().catch(() => undefined), everyMs).unref();
}

function show({ sessionId, title, what }: SessionNews, windows: Windows): void {
  const notification = new Notification({ title: title === '' ? 'Dewpoint' : title, body: texts[`news.${what}`] });
  notification.on('click', () => {
    windows.show();
    windows.push({ type: 'session', sessionId, isAsking: what === 'waits' });
  });
  notification.show();
}
