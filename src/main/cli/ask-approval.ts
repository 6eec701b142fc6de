import { createInterface } from 'node:readline/promises';
import { domainToUnicode } from 'node:url';
import type { EventOf } from '@shared/events.ts';
import type { ApprovalScope } from '@shared/network-access.ts';
import type { CommandContext } from './context.ts';
import { seenLines, seenText } from './seen-text.ts';

/** `scope`: for how long a yes to hosts holds. */
export interface Said {
  readonly answer: 'allow' | 'deny';
  readonly scope?: ApprovalScope;
}

/** Long enough that what was typed for something else cannot answer. */
export const guardMs = 500;

export interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** In milliseconds, and never back. */
  readonly now: () => number;
}

const ownKeyboard = (): Keyboard => ({ input: process.stdin, output: process.stderr, now: () => performance.now() });

/** Asks the person at the terminal; anything but a plain yes is a no. What comes before it can have been read is neither. */
export async function askApproval(
  question: EventOf<'approval-requested'>,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
  { input, output, now }: Keyboard = ownKeyboard(),
): Promise<Said> {
  const reader = createInterface({ input, output });
  try {
    terminal.err(`${terminal.colors.yellow(headingOf(question))} ${questionText(question)}\n`);
    for (;;) {
      const askedAt = now();
      const said = await reader.question(promptOf(question), { signal });
      if (now() - askedAt >= guardMs) return readAnswer(said, question.hosts !== undefined);
      terminal.err('That came before it can have been read, and counts for nothing.\n');
    }
  } catch {
    // Ctrl-C at the question: no, and the turn is being cancelled.
    return { answer: 'deny' };
  } finally {
    reader.close();
  }
}

export function headingOf({ kind }: EventOf<'approval-requested'>): string {
  return kind === 'disk' ? 'The agent waits.' : 'May the agent do this?';
}

function promptOf({ kind, hosts, isOnce }: EventOf<'approval-requested'>): string {
  if (hosts !== undefined && isOnce === true) return 'Allow the hosts, for this once? [y/N] ';
  if (hosts !== undefined)
    return 'Allow the hosts? once [o], for this session [s], always for this project [p], no [N] ';
  if (kind === 'disk') return 'Is there room now, to go on? Anything but yes ends the command. [y/N] ';
  if (kind === 'hard-links') return 'Break the links? Anything but yes leaves them. [y/N] ';
  return kind === 'instructions' ? 'Follow them, until the file changes? [y/N] ' : 'Allow? [y/N] ';
}

/** What is asked about, drawn from the call itself; what the model says of it is marked as its own words. */
export function questionText(question: EventOf<'approval-requested'>): string {
  const { kind, subject, hosts, reason, why, text } = question;
  if (kind === 'instructions' && text !== undefined) return instructionsText(question, text);
  if (kind === 'hard-links' && text !== undefined) return linksText(question, text);
  if (kind === 'disk') return seenText(subject);
  if (hosts === undefined) return `${kind}: ${seenText(subject)}`;
  const lines = [
    'run a command with a network',
    `  hosts:          ${hosts.map(hostText).join(', ')}`,
    `  command:        ${seenText(subject).replaceAll('\n', '\n                  ')}`,
    ...(reason === undefined ? [] : [`  asked because:  ${seenText(reason)}`]),
    ...(why === undefined ? [] : [`  the model says: ${seenText(why).replaceAll('\n', ' ')}`]),
  ];
  return lines.join('\n');
}

function instructionsText({ subject, reason, diff }: EventOf<'approval-requested'>, text: string): string {
  return [
    'follow instructions that the project brings along',
    `  file:           ${seenText(subject)}`,
    ...(reason === undefined ? [] : [`  asked because:  ${seenText(reason)}`]),
    seenLines(text),
    ...(diff === undefined ? [] : ['  what is different from what was approved:', seenLines(diff, '  ~ ')]),
  ].join('\n');
}

function linksText({ subject, reason }: EventOf<'approval-requested'>, text: string): string {
  const why = reason === undefined ? [] : [`  ${seenText(reason)}`];
  return [`break hard links. ${seenText(subject)}:`, seenLines(text), ...why].join('\n');
}

/** With the letters that a browser would show, where they are others than those of the name. */
function hostText(host: string): string {
  const shown = host.includes('xn--') ? domainToUnicode(host) : '';
  return shown === '' || shown === host ? seenText(host) : `${seenText(host)} (shown as ${seenText(shown)})`;
}

/** Exported for its tests: the words a person may answer with. */
export function readAnswer(said: string, isAboutHosts: boolean): Said {
  const word = said.trim().toLowerCase();
  if (!isAboutHosts) return { answer: word === 'y' || word === 'yes' ? 'allow' : 'deny' };
  if (['o', 'once', 'y', 'yes'].includes(word)) return { answer: 'allow', scope: 'once' };
  if (['s', 'session'].includes(word)) return { answer: 'allow', scope: 'session' };
  if (['p', 'project'].includes(word)) return { answer: 'allow', scope: 'project' };
  return { answer: 'deny' };
}
