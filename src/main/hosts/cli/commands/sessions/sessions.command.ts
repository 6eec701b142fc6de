import type { EventOf } from '@shared/events/events.ts';
import { runStatusOf } from '@shared/session/session-state.ts';
import { printable } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { endings } from '../../../text/ending-words.ts';
import { createEventLines } from '../../../text/event-lines.ts';
import { indentText, jsonLine } from '../../../text/terminal.ts';
import { usageError } from '../../../text/report-failure.ts';
import { askAgain, type ReplayArguments } from './ask-again.command.ts';
import { recordedEvents } from '../../../connection/recorded-events.ts';

export const showSession: Command<[string, { readonly json?: boolean }]> = async (context, id, { json }) => {
  const { terminal, signal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id });
  if (json === true) {
    terminal.out(jsonLine(await core.sessions.show({ sessionId })));
    return 0;
  }
  const lines = createEventLines({ ...terminal, isLive: false });
  const inLoop = new Set<string>();
  for await (const event of recordedEvents(core, sessionId, signal)) {
    if (event.type === 'user-message-added')
      terminal.out(`\n${event.origin === undefined ? 'You' : 'Dewpoint'}: ${printable(event.text)}\n`);
    for (const line of lines(event)) terminal.out(`${line}\n`);
    if (event.type === 'model-call-started' && event.stage.strategy === 'loop') inLoop.add(event.callId);
    if (event.type === 'model-call-ended' && inLoop.delete(event.callId)) {
      const words = wordsBeside(event);
      if (words !== '') terminal.out(`${printable(words)}\n`);
    }
    if (event.type === 'turn-ended')
      terminal.out(`${printable(event.text)}\n(${endings[runStatusOf(event.reason)]})\n`);
  }
  return 0;
};

/** What the model wrote in an answer that did not end its turn. The text of the last one is the text of the turn. */
function wordsBeside({ parts, stopReason }: EventOf<'model-call-ended'>): string {
  const isLast = stopReason === 'stop' && parts.every((part) => part.type !== 'tool-call');
  return isLast ? '' : parts.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : [])).join('\n');
}

export const replaySession: Command<[readonly string[], ReplayArguments]> = async (context, ids, args) => {
  const { core, terminal, signal } = context;
  if (args.on !== undefined) return askAgain(context, ids, args);
  if (args.maxUsd !== undefined) throw usageError('--max-usd needs --on MODEL: a replay without it costs nothing.');
  if (args.resume === true) throw usageError('--resume needs --on MODEL: the model that was asked before.');
  if (args.run === true) throw usageError('--run needs --on MODEL: the model that does the task.');
  if (args.since !== undefined) throw usageError('--since needs --on MODEL: without it, one session is replayed.');
  const [id, ...more] = ids;
  if (id === undefined) throw usageError('Name a session: its id, the beginning of one, or last.');
  if (more.length > 0) throw usageError('Several sessions need --on MODEL: without it, one session is replayed.');
  const client = await core();
  const { sessionId } = await client.sessions.find({ id });
  const report = await client.sessions.replay({ sessionId }, { signal });
  if (args.json === true) terminal.out(jsonLine(report));
  else if (report.matched)
    terminal.out(`The ${report.events} events of ${sessionId} replay to the same state.\n${report.stateHash}\n`);
  else {
    terminal.out(
      `The replay of ${sessionId} differs.\nrecorded ${report.recordedHash}\nreplayed ${report.stateHash}\n`,
    );
    if (report.firstDifference !== null) terminal.out(`first difference: ${indentText(report.firstDifference)}\n`);
  }
  return report.matched ? 0 : 1;
};
