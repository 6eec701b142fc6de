import type { SessionEvent, Transient } from '@shared/events/events.ts';
import { textOf } from '@shared/models/model-messages.ts';
import { printable } from '@shared/text/seen-text.ts';
import { createEventLines, purposeTexts } from '../../text/event-lines.ts';
import { createStatusLine } from './status-line.ts';
import type { Terminal } from '../../text/terminal.ts';

/** Shows a session as it happens: a line for each step and action and, on a terminal, the current activity. */
export interface LiveView {
  event(event: SessionEvent): void;
  transient(transient: Transient): void;
  /** Removes the status line. Nothing is written after that. */
  close(): void;
}

export function createLiveView(terminal: Terminal, now: () => number): LiveView {
  const status = createStatusLine(terminal, now);
  const lines = createEventLines(terminal);
  /** What the model wrote beside its last calls. */
  let beside = '';
  return {
    event(event) {
      if (event.type === 'model-call-ended') status.spend(event.costUsd);
      if (event.type === 'model-call-ended' || event.type === 'tool-ended') status.end();
      for (const line of lines(event)) {
        status.clear();
        terminal.err(`${line}\n`);
      }
      if (event.type === 'model-call-ended') beside = textOf(event).trim();
      // A person who is asked needs them for the answer. Where nobody is asked, they stand in the result.
      if (event.type === 'approval-requested' && event.kind === 'question' && terminal.isInteractive && beside !== '') {
        status.clear();
        terminal.err(`${printable(beside)}\n`);
        beside = '';
      }
      if (event.type === 'model-call-started')
        status.begin(event.callId, `step ${event.step} ${event.stage.where}, ${purposeTexts[event.purpose]}`);
      if (event.type === 'tool-started') status.begin(event.toolCallId, event.label, event.limitMs);
    },
    transient: (transient) => status.take(transient),
    close: () => status.end(),
  };
}
