import { Notification } from 'electron';
import type { SessionNews } from '@shared/session/session-news.ts';
import { seenWords } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { createNewsFinder } from './session-news-finder.ts';
import { texts } from './desktop-texts.ts';
import type { Windows } from './windows.ts';

const everyMs = 4_000;

/** Tells a person who looks at something else that a long task has ended or waits; a click shows it. */
export function notifyOfSessions(client: () => Promise<CoreClient>, windows: Windows): void {
  const look = createNewsFinder();
  const tell = async (): Promise<void> => {
    const core = await client();
    const all = await look({
      sessions: () => core.sessions.list(),
      notify: () => core.settings.get({ key: 'notify' }),
    });
    const inFront = windows.sessionInFront();
    if (!Notification.isSupported()) return;
    for (const news of all) if (news.sessionId !== inFront) show(news, windows);
  };
  // A core that is just being renewed is asked again in a moment.
  setInterval(() => void tell().catch(() => undefined), everyMs).unref();
}

function show({ sessionId, title, what }: SessionNews, windows: Windows): void {
  const notification = new Notification({
    title: title === '' ? 'Dewpoint' : seenWords(title),
    body: texts[`news.${what}`],
  });
  notification.on('click', () => {
    windows.show();
    windows.push({ type: 'session', sessionId, isAsking: what === 'waits' });
  });
  notification.show();
}
