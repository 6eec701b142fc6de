import { createInterface } from 'node:readline/promises';
import { domainToUnicode } from 'node:url';
import type { EventOf } from '@shared/events.ts';
import type { ApprovalScope } from '@shared/network-access.ts';
import type { CommandContext } from './context.ts';

/** `scope`: for how long a yes to hosts holds. */
export interface Said {
  readonly answer: 'allow' | 'deny';
  readonly scope?: ApprovalScope;
}

/** Asks the person at the terminal; anything but a plain yes is a no. */
export async function askApproval(question: EventOf<'approval-requested'>, context: CommandContext): Promise<Said> {
  const { terminal } = context;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    terminal.err(`${terminal.colors.yellow('May the agent do this?')} ${questionText(question)}\n`);
    const said = await reader.question(question.hosts === undefined ? 'Allow? [y/N] ' : hostsPrompt, {
      signal: context.signal,
    });
    return readAnswer(said, question.hosts !== undefined);
  } catch {
    // Ctrl-C at the question: no, and the turn is being cancelled.
    return { answer: 'deny' };
  } finally {
    reader.close();
  }
}

const hostsPrompt = 'Allow the hosts? once [o], for this session [s], always for this project [p], no [N] ';

/** What is asked about, drawn from the call itself; what the model says of it is marked as its own words. */
export function questionText({ kind, subject, hosts, reason, why }: EventOf<'approval-requested'>): string {
  if (hosts === undefined) return `${kind}: ${seen(subject)}`;
  const lines = [
    'run a command with a network',
    `  hosts:          ${hosts.map(hostText).join(', ')}`,
    `  command:        ${seen(subject).replaceAll('\n', '\n                  ')}`,
    ...(reason === undefined ? [] : [`  asked because:  ${seen(reason)}`]),
    ...(why === undefined ? [] : [`  the model says: ${seen(why).replaceAll('\n', ' ')}`]),
  ];
  return lines.join('\n');
}

/** A text to be judged: what is invisible, moves the cursor or turns the direction of writing shows as its number. */
function seen(text: string): string {
  return text.replaceAll(/[^\P{C}\n]|\p{Z}(?<! )|\u00AD|[\u115F\u1160\u3164\uFFA0]/gu, (character) => {
    return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** With the letters that a browser would show, where they are others than those of the name. */
function hostText(host: string): string {
  const shown = host.includes('xn--') ? domainToUnicode(host) : '';
  return shown === '' || shown === host ? seen(host) : `${seen(host)} (shown as ${seen(shown)})`;
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
