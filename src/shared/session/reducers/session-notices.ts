import type { EventOf } from '@shared/events/events.ts';
import { hiddenText } from '@shared/session/call-manifest.ts';
import { keptCounts } from './kept-counts.ts';
import type { NoticeState, SessionState } from '@shared/session/session-state.ts';
import { shortenText, lastItems, firstLine, textLimit } from '@shared/text/shorten-text.ts';

export function withNotice(state: SessionState, { seq, at, level, code, text }: NoticeState): Partial<SessionState> {
  return {
    notices: lastItems(
      [...state.notices, { seq, at, level, code, text: shortenText(text, textLimit) }],
      keptCounts.notices,
    ),
  };
}

export function fenceNotice({ seq, at, outcome, model, text }: EventOf<'call-fenced'>): NoticeState {
  const told = {
    refused: `was not made: ${text}`,
    redacted: `was made: ${hiddenText(text)}`,
    asked: `asks first: ${text}`,
  };
  const level = outcome === 'redacted' ? 'info' : 'warning';
  return { seq, at, level, code: 'call-fenced', text: `A call to ${model} ${told[outcome]}.` };
}

/** What a check found before a claim of success was accepted. */
export function gateNotice({ seq, at, by, verdict, text }: EventOf<'gate-checked'>): NoticeState {
  const told = {
    pass: 'A stronger model approves the work',
    redo: by === 'review' ? 'A stronger model asks for changes' : 'More is to do',
    none: by === 'lint' ? 'The project’s linter was not run' : 'A stronger model did not review the work',
  };
  return {
    seq,
    at,
    level: verdict === 'redo' ? 'warning' : 'info',
    code: 'gate-checked',
    text: `${told[verdict]}: ${text}`,
  };
}

/** A notice for instructions that were held back, so that the window and the terminal always say so. */
export function instructionsFound(state: SessionState, event: EventOf<'instructions-found'>): Partial<SessionState> {
  const { seq, at, path, sha256, state: known, use, reason } = event;
  const instructions = { path: firstLine(path), sha256, state: known, use, reason: shortenText(reason, textLimit) };
  if (use === 'used') return { instructions };
  const text = `The project instructions (${path}) are not followed: ${reason}.`;
  return { instructions, ...withNotice(state, { seq, at, level: 'warning', code: event.type, text }) };
}

export function terminalNotice({ seq, at, type, ran }: EventOf<'terminal-opened'>): NoticeState {
  const text = ran === undefined ? 'You opened a terminal in the sandbox.' : 'You ran code in the sandbox.';
  return { seq, at, level: 'info', code: type, text };
}
