import { BrowserWindow, Notification } from 'electron';
import type { CoreClient } from '../api/socket.ts';
import type { SessionNews, Watched } from './session-news.ts';
import { sessionNews } from './session-news.ts';
import type { Windows } from './windows.ts';

const everyMs = 4_000;

const words: Readonly<Record<SessionNews['what'], string>> = {
  ended: 'The task has ended.',
  waits: 'It waits for your answer.',
};

/** Tells a person who looks at something else that a long task has ended or waits; a click shows it. */
export function notifyOfSessions(client: () => Promise<CoreClient>, windows: Windows): void {
  let watched: ReadonlyMap<string, Watched> = new Map();
  const look = async (): Promise<void> => {
    const sessions = await (await client()).sessions.list();
    const round = sessionNews(watched, sessions, Date.now());
    ({ watched } = round);
    if (BrowserWindow.getFocusedWindow() !== null || !Notification.isSupported()) return;
    for (const { sessionId, title, what } of round.news) {
      const notification = new Notification({ title: title === '' ? 'Dewpoint' : title, body: words[what] });
      notification.on('click', () => {
        windows.show();
        windows.push({ type: 'session', sessionId });
      });
      notification.show();
    }
  };
  // A core that is just being renewed is asked again in a moment.
  setInterval(() => void look().catch(() => undefined), everyMs).unref();
}
