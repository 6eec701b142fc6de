import { moneyText } from '@shared/money/money-text.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../command-context.ts';
import { createEventLines } from '../../terminal/event-lines.ts';
import { counted, dateAndTime, indented, jsonLine, oneLine } from '../../terminal/terminal.ts';
import { padRight } from '../../terminal/columns.ts';

export const listSessions: Command<[{ readonly json?: boolean }]> = async ({ core, terminal }, { json }) => {
  const sessions = await (await core()).sessions.list();
  if (json === true) terminal.out(jsonLine(sessions));
  else if (sessions.length === 0) terminal.err('No sessions yet. Start one: dewpoint run "…" --project DIR\n');
  else {
    for (const session of sessions) {
      const date = dateAndTime(session.updatedAt);
      const status = session.status === 'idle' ? (session.lastReason ?? 'new') : session.status;
      terminal.out(
        `${session.sessionId}  ${date}  ${padRight(seenName(status), 12)}  ${counted(session.steps, 'step').padEnd(9)} ${moneyText(session.costUsd).padStart(8)}  ${oneLine(seenWords(session.title), 60)}\n`,
      );
    }
  }
  return 0;
};

export const showSession: Command<[string, { readonly json?: boolean }]> = async (context, id, { json }) => {
  const { terminal, signal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  if (json === true) {
    terminal.out(jsonLine(await core.sessions.show({ sessionId })));
    return 0;
  }
  const lines = createEventLines({ ...terminal, isLive: false });
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort(), { once: true });
  for await (const push of await core.sessions.events({ sessionId, fromSeq: 1 }, { signal: stop.signal })) {
    if (push.type === 'caught-up') break;
    if (push.type !== 'events') continue;
    for (const event of push.events) {
      if (event.type === 'user-message-added')
        terminal.out(`\n${event.origin === undefined ? 'You' : 'Dewpoint'}: ${printable(event.text)}\n`);
      for (const line of lines(event)) terminal.out(`${line}\n`);
      if (event.type === 'turn-ended') terminal.out(`${printable(event.text)}\n(${event.reason})\n`);
    }
  }
  stop.abort();
  return 0;
};

export const replaySession: Command<[string, { readonly json?: boolean }]> = async (
  { core, terminal, signal },
  id,
  { json },
) => {
  const client = await core();
  const { sessionId } = await client.sessions.find({ id });
  const report = await client.sessions.replay({ sessionId }, { signal });
  if (json === true) terminal.out(jsonLine(report));
  else if (report.matched)
    terminal.out(`The ${report.events} events of ${sessionId} replay to the same state.\n${report.stateHash}\n`);
  else {
    terminal.out(
      `The replay of ${sessionId} differs.\nrecorded ${report.recordedHash}\nreplayed ${report.stateHash}\n`,
    );
    if (report.firstDifference !== null) terminal.out(`first difference: ${indented(report.firstDifference)}\n`);
  }
  return report.matched ? 0 : 1;
};
