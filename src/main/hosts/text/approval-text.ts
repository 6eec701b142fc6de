import { domainToUnicode } from 'node:url';
import type { EventOf } from '@shared/events/events.ts';
import type { ApprovalScope } from '@shared/safety/network-access.ts';
import type { FormValues } from '@shared/tools/server-form.ts';
import { hasDeceptivePiece, seenName, seenPieces } from '@shared/text/seen-text.ts';
import { quotedRows, showBlanks } from './quoted-rows.ts';
import { agentQuestionText } from './agent-question.ts';
import { fieldText, presetTitles } from './form-fields.ts';

/** `scope`: how long an approval of hosts lasts. */
export interface ApprovalReply {
  readonly answer: 'allow' | 'deny';
  readonly scope?: ApprovalScope;
  /** The values of a form. */
  readonly values?: FormValues;
}

export type ApprovalRequest = EventOf<'approval-requested'>;

/** The first and last rows of a long text that are shown before the user asks for the rest. */
const shownRows = { first: 24, last: 12 } as const;

export function headingOf({ kind, child }: ApprovalRequest): string {
  if (kind === 'question') return 'The agent asks:';
  if (child !== undefined) return 'May an agent that this one started do this?';
  if (kind.startsWith('server-')) return 'A tool server asks you something.';
  return kind === 'disk' ? 'The agent is waiting.' : 'May the agent do this?';
}

/** A part of a question that somebody else wrote, or may have put a name into. */
interface Field {
  readonly label: string;
  readonly text: string;
  /** Shown on a single line, whatever it contains. */
  readonly isName?: boolean;
  /** Printed before each of its rows. */
  readonly mark?: string;
}

interface Asked {
  readonly what: string;
  readonly fields: readonly (Field | null)[];
  /** What an approval would do. This is the last line before the answer. */
  readonly grant: string;
}

/**
 * The question, built from the call itself. The model's explanation is marked as its own words. Foreign rows have a
 * mark, and the last line says what an approval would do.
 */
export function questionText(question: ApprovalRequest, columns: number, how: 'whole' | 'in-short' = 'whole'): string {
  if (question.kind === 'question') return agentQuestionText(question);
  const { what, fields, grant } = askedOf(question);
  const shown = fields.filter((field) => field !== null);
  const rows = shown.flatMap((field) => fieldRows(field, columns, how));
  const notes = [
    ...(shown.some(isMarked) ? ['Characters in < > are invisible or look like others. Read them carefully.'] : []),
    ...(question.hosts?.some((host) => host.includes('xn--')) === true
      ? ['Names with xn-- use letters from another script. Check carefully who owns them.']
      : []),
  ];
  return [what, ...rows, ...notes, grant].join('\n');
}

function isMarked({ text, isName }: Field): boolean {
  return isName === true ? seenName(text) !== text : hasDeceptivePiece(seenPieces(text));
}

function askedOf(question: ApprovalRequest): Asked {
  const { kind, subject, hosts, reason, why, text, diff } = question;
  const because = fieldOf('reason', reason);
  if (hosts !== undefined) {
    const names = hosts.map(hostText).join(', ');
    if (kind === 'web') return askedOfWeb(question, names);
    if (kind === 'connected-tool') return askedOfOwnTool(question, names);
    return {
      what: 'run a command that can reach a network',
      fields: [
        { label: 'hosts', text: names },
        because,
        fieldOf('the model says (not verified)', why),
        { label: 'command', text: subject },
      ],
      grant: `If you say yes, this command can reach ${hosts.length === 1 ? 'this host' : `these ${hosts.length} hosts`}: ${names}`,
    };
  }
  if (kind.startsWith('server-')) return askedByServer(question);
  switch (kind) {
    case 'instructions':
      return {
        what: "follow this project's instructions",
        fields: [
          { label: 'file', text: subject, isName: true },
          because,
          fieldOf('full text', text),
          fieldOf('changes since you approved it', diff, '  ~ '),
        ],
        grant: 'If you say yes, agents follow exactly this text until the file changes.',
      };
    case 'hard-links':
      return {
        what: 'break hard links',
        fields: [{ label: 'files', text: subject }, fieldOf('which', text), because],
        grant: 'If you say yes, each of them becomes a file of its own.',
      };
    case 'disk':
      return {
        what: 'A command needs disk space.',
        fields: [{ label: 'disk', text: subject }],
        grant: 'If you say yes, the command continues.',
      };
    case 'guarded-file':
      return {
        what: 'change a file that its work is checked against',
        fields: [{ label: 'file', text: subject, isName: true }, because, fieldOf('the change', text, '  ~ ')],
        grant: 'If you say yes, the agent makes this one change.',
      };
    case 'connected-tool':
      return {
        what: 'call a tool of a server',
        fields: [{ label: 'tool', text: subject, isName: true }, because, fieldOf('it gets', text)],
        grant: 'If you say yes, the server gets exactly this, once.',
      };
    case 'program':
      return askedOfProgram(question);
    case 'connection':
      return askedOfAccount(question);
    case 'memory':
      return askedOfLine(question);
    case 'fence':
      return {
        what: 'send restricted content away from this machine',
        fields: [{ label: 'what', text: subject }, because],
        grant: 'If you say yes, exactly this leaves, once.',
      };
    default:
      return {
        what: seenName(kind),
        fields: [{ label: 'what', text: subject }, because],
        grant: 'If you say yes, the agent does this once.',
      };
  }
}

/** Everything that the server wrote is marked as its own words. */
function askedByServer({ kind, subject, reason, text, form, url }: ApprovalRequest): Asked {
  const by: Field = { label: 'server', text: subject, isName: true };
  const because = fieldOf('reason', reason);
  const says = fieldOf('the server says (not verified)', text);
  if (kind === 'server-model')
    return {
      what: 'It wants a model of yours to answer this.',
      fields: [by, says, because],
      grant: 'If you say yes, the model answers this one question, and the server gets the answer.',
    };
  if (kind === 'server-link')
    return {
      what: 'It wants you to open this address.',
      fields: [by, says, fieldOf('address', url), because],
      grant: 'Dewpoint does not open it. If you say yes, the server goes on.',
    };
  return {
    what: 'It has a form. Never type a password or a key into it.',
    fields: [by, says, fieldOf('fields', form?.map(fieldText).join('\n')), because],
    grant: 'If you say yes, you are asked for each field. The server gets what you type there.',
  };
}

/** A program of the model, with all calls that it may make. */
function askedOfProgram({ subject, reason, text, review }: ApprovalRequest): Asked {
  return {
    what: 'run a program that makes these calls',
    fields: [
      { label: 'calls', text: subject },
      fieldOf('reason', reason),
      fieldOf('the reviewing model says (not verified)', review?.model?.text ?? undefined),
      fieldOf('plan, calls and program', text),
    ],
    grant: 'If you say yes, it can make these calls, at most as many as announced, this once.',
  };
}

/** A line that the agent proposes for later tasks. */
function askedOfLine({ subject, reason, text, form }: ApprovalRequest): Asked {
  return {
    what: 'keep a line for later tasks',
    fields: [
      { label: 'what', text: subject },
      fieldOf('line', text),
      fieldOf('for', form === undefined ? undefined : presetTitles(form).join(', ')),
      fieldOf('about', reason),
    ],
    grant: 'Nothing is kept unless you say yes. You can edit the line first.',
  };
}

/** The user's account at a service. */
function askedOfAccount({ subject, reason, text }: ApprovalRequest): Asked {
  return {
    what: 'use an account that you connect',
    fields: [
      { label: 'account', text: subject, isName: true },
      fieldOf('reason', reason),
      fieldOf('open this link in your browser', text),
    ],
    grant: 'The work goes on by itself when it is connected. Yes: you have signed in. No: go on without it.',
  };
}

/** A tool from a file. Its hosts are known before it runs. */
function askedOfOwnTool({ subject, reason, text }: ApprovalRequest, names: string): Asked {
  return {
    what: 'call a tool',
    fields: [
      { label: 'tool', text: subject, isName: true },
      { label: 'hosts', text: names },
      fieldOf('reason', reason),
      fieldOf('it gets', text),
    ],
    grant: `If you say yes, the tool gets exactly this, once, and can reach: ${names}`,
  };
}

/** A request that Dewpoint sends itself. If it has a body, the body is shown as it would be sent. */
function askedOfWeb({ subject, reason, why, text, isOnce }: ApprovalRequest, names: string): Asked {
  return {
    what: 'have Dewpoint send a request',
    fields: [
      { label: 'host', text: names },
      fieldOf('reason', reason),
      fieldOf('the model says (not verified)', why),
      { label: 'request', text: subject },
      fieldOf('headers and body', text),
    ],
    grant:
      isOnce === true
        ? `If you say yes, exactly this goes to ${names}, once.`
        : `If you say yes, requests reach ${names}. For the session or the project, commands may reach it, too.`,
  };
}

function fieldOf(label: string, text: string | undefined, mark?: string): Field | null {
  return text === undefined ? null : { label, text, ...(mark === undefined ? {} : { mark }) };
}

/** On the row of its label if it fits, otherwise on separate rows. */
function fieldRows(field: Field, columns: number, how: 'whole' | 'in-short'): readonly string[] {
  const { label, mark } = field;
  const text = field.isName === true ? seenName(field.text) : showBlanks(field.text);
  const rows = quotedRows(text, columns - labelColumns, mark);
  const [first = ''] = rows;
  if (rows.length === 1 && mark === undefined) return [`  ${`${label}:`.padEnd(labelColumns)}${first.slice(4)}`];
  const wide = quotedRows(text, columns, mark);
  const left = wide.length - shownRows.first - shownRows.last;
  if (how === 'whole' || left <= 1) return [`  ${label}:`, ...wide];
  return [
    `  ${label}, ${wide.length.toLocaleString('en')} rows:`,
    ...wide.slice(0, shownRows.first),
    `  (${left.toLocaleString('en')} more rows: answer "show" to see all)`,
    ...wide.slice(-shownRows.last),
  ];
}

const labelColumns = 16;

/** Adds the characters that a browser would show, if they differ from the name. */
export function hostText(host: string): string {
  const shown = host.includes('xn--') ? domainToUnicode(host) : '';
  return shown === '' || shown === host ? seenName(host) : `${seenName(host)} (shown as ${seenName(shown)})`;
}
