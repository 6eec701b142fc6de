import type { Purpose } from '@shared/events/call-events.ts';
import { endlessTests, endlessText } from '../../lib/endless/endless-tests.ts';
import { attachmentLabel } from '@shared/attachments/attachment-text.ts';
import { hiddenText } from '@shared/session/call-manifest.ts';
import { untrackedText } from '@shared/session/reducers/reduce-sandbox.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import { droppedGrantsText } from '@shared/safety/approval-grants.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { runStatusOf } from '@shared/session/session-state.ts';
import { shortEnding } from './ending-words.ts';
import { decodeSpeedOf } from '@shared/session/step-speeds.ts';
import { seenCommand, seenName, seenWords } from '@shared/text/seen-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { describeTests, summarizeTests } from '../../tools/commands/test-run-output.ts';
import { canvasToolName, drawnInput } from '@shared/tools/canvas.ts';
import { agentAnswerText } from './agent-question.ts';
import { describeReachedCap } from './cap-text.ts';
import { canvasRows, mostResultRows } from './canvas-rows.ts';
import type { Terminal } from './terminal.ts';
import { indentText, oneLine, pluralize, seconds } from './terminal.ts';

const gateLooks = {
  changes: 'change',
  lint: 'linter',
  review: 'review by a stronger model',
} as const;

/** How many changed files are named in one place. `dewpoint changes` shows all. */
export const mostChangesNamed = 20;

/**
 * Turns events into lines for the terminal: one for each step or action, none for events of no use to the user. Of many
 * files that one call changed, only the first are named.
 */
export function createEventLines(terminal: Terminal): (event: SessionEvent) => readonly string[] {
  const linesOf = createLines(terminal);
  let changes = 0;
  return (event) => {
    const lines = linesOf(event);
    if (event.type === 'file-changed') {
      changes += 1;
      return changes > mostChangesNamed ? [] : lines;
    }
    const more = changes - mostChangesNamed;
    changes = 0;
    return more > 0 ? [terminal.colors.dim(`    and ${pluralize(more, 'more file')}`), ...lines] : lines;
  };
}

function createLines(terminal: Terminal): (event: SessionEvent) => readonly string[] {
  const labels = new Map<string, string>();
  const agents = new Map<string, string>();
  const calls = new Map<string, EventOf<'model-call-started'>>();
  const drawn = new Map<string, unknown>();
  const connected = new Set<string>();
  /** The open questions of this view. True: the agent asks for an answer, not for an approval. */
  const asked = new Map<string, boolean>();
  let isChat = false;
  return (event) => {
    switch (event.type) {
      case 'model-call-started':
        calls.set(event.callId, event);
        return [];
      case 'turn-started':
        isChat = event.mode === 'chat';
        return event.mode === undefined || event.mode === 'chat' ? [] : [terminal.colors.dim(modeTexts[event.mode])];
      case 'stage-chosen':
        return isChat ? [] : [stageLine(event, terminal)];
      case 'tool-started':
        labels.set(event.toolCallId, event.label);
        if (event.connected !== undefined) connected.add(event.toolCallId);
        if (event.tool === canvasToolName) drawn.set(event.toolCallId, event.input);
        return [];
      case 'model-call-ended': {
        const started = calls.get(event.callId);
        calls.delete(event.callId);
        return [stepLine(event, started, terminal)];
      }
      case 'tool-ended': {
        // A conversation starts without a look at files, so there is nothing to report.
        if (event.tool === 'gather_facts' && event.status === 'ok' && event.output === '') return [];
        const label = labels.get(event.toolCallId) ?? event.tool;
        labels.delete(event.toolCallId);
        const input = drawn.has(event.toolCallId) ? drawnInput(drawn.get(event.toolCallId), event.data) : undefined;
        const shown = event.status === 'ok' ? canvasRows(input, terminal.columns) : [];
        const table = connected.delete(event.toolCallId) ? fieldOf(event.data, 'table') : undefined;
        const given = canvasRows(table, terminal.columns, mostResultRows);
        drawn.delete(event.toolCallId);
        return [...actionLines(event, label, terminal), ...shown, ...given];
      }
      case 'approval-requested':
        asked.set(event.approvalId, event.kind === 'question');
        // The text of a question stands in the call of the agent, and where it is asked.
        return event.kind === 'question' ? [] : [approvalLine(event, terminal)];
      case 'approval-answered': {
        const isQuestion = asked.get(event.approvalId);
        asked.delete(event.approvalId);
        // A view that began after the question cannot say what was answered.
        return isQuestion === undefined ? [] : [answerLine(event, isQuestion, terminal)];
      }
      case 'child-session-started':
        agents.set(event.sessionId, event.name);
        return [terminal.colors.dim(`    ${seenName(event.name)} begins: ${oneLine(seenWords(event.task), 120)}`)];
      case 'child-session-ended':
        return [childEndLine(event, event.name ?? agents.get(event.sessionId) ?? 'an agent', terminal)];
      default: {
        const text = describe(event, terminal);
        return text === null ? [] : [text];
      }
    }
  };
}

/** The mode of a message, in the same words as in the window. */
export const modeTexts = {
  ask: 'Ask: answers, no file changes',
  plan: 'Plan: no file changes',
  work: 'Work: changes files where the task asks for it',
} as const;

/** What a step does, in words for people. */
export const purposeTexts = {
  act: 'working',
  locate: 'finding the cause',
  propose: 'writing a change',
  answer: 'answering',
  plan: 'planning',
  summarize: 'summarizing',
  choose: 'choosing',
  title: 'naming the session',
  advise: 'advising',
  review: 'reviewing',
  sample: 'answering a tool server',
  embed: 'reading texts for a search',
} as const satisfies Record<Purpose, string>;

function stageLine(event: EventOf<'stage-chosen'>, { colors }: Pick<Terminal, 'colors'>): string {
  return `${colors.bold(oneLine(seenName(event.recipe ?? event.stage.strategy), 60))} on ${oneLine(seenName(event.stage.model), 60)}: ${oneLine(event.reason, 160)}`;
}

function stepLine(
  event: EventOf<'model-call-ended'>,
  started: EventOf<'model-call-started'> | undefined,
  { colors }: Terminal,
): string {
  const where = started?.stage.where ?? 'local';
  const paint = where === 'cloud' ? colors.magenta : colors.cyan;
  const { usage, timings } = event;
  const rate = decodeSpeedOf(event);
  const parts = [
    `${String(started?.step ?? '?').padStart(3)} ${paint(where.padEnd(5))} ${started === undefined ? 'a step' : purposeTexts[started.purpose]} with ${oneLine(seenName(started?.model ?? '?'), 60)}`,
    `${promptTokensOf(usage)} in${usage.cacheRead > 0 ? ` (${usage.cacheRead} cached)` : ''}, ${usage.output} out`,
    ...(rate === null ? [] : [`${rate.toFixed(1)} tok/s`]),
    seconds(timings.totalMs),
    moneyText(event.costUsd),
    ...(event.error === null ? [] : [colors.red(oneLine(event.error.message, 120))]),
  ];
  return parts.join('  ');
}

function actionLines(event: EventOf<'tool-ended'>, label: string, terminal: Terminal): readonly string[] {
  const { colors } = terminal;
  const width = (used: number): number => (terminal.isLive ? Math.max(20, terminal.columns - used) : 200);
  const indent = event.parent === undefined ? '' : '  ';
  const line = [
    `      ${indent}${colors.dim('·')} ${oneLine(seenCommand(label), width(30))}`,
    colors.dim(event.reusedFrom === undefined ? seconds(event.durationMs) : 'from the same call before'),
    ending(event, terminal),
  ];
  const wentWrong = ['error', 'refused', 'unknown'].includes(event.status);
  return [line.join('  ').trimEnd(), ...(wentWrong ? [colors.dim(`        ${oneLine(event.output, width(10))}`)] : [])];
}

function ending(event: EventOf<'tool-ended'>, { colors }: Terminal): string {
  if (event.status !== 'ok') return colors.red(event.status);
  return event.exitCode === null || event.exitCode === 0 ? '' : colors.yellow(`exit ${event.exitCode}`);
}

function childEndLine(
  event: EventOf<'child-session-ended'>,
  name: string,
  { colors }: Pick<Terminal, 'colors'>,
): string {
  const { reason, costUsd, changedFiles = 0 } = event;
  const changed = changedFiles === 0 ? '' : `, ${changedFiles} changed ${changedFiles === 1 ? 'file' : 'files'}`;
  const how = reason === undefined ? 'ended' : runStatusOf(reason);
  const text = `    ${seenName(name)} ended: ${shortEnding(how)}, ${moneyText(costUsd)}${changed}`;
  return how === 'done' ? colors.dim(text) : colors.yellow(text);
}

function serviceLine(event: EventOf<'service-changed'>, colors: Terminal['colors']): string {
  const { serviceId, command, status, exitCode } = event;
  const text = `    process ${oneLine(seenName(serviceId), 60)} ${status}${exitCode === null ? '' : ` with ${exitCode}`}: ${oneLine(seenCommand(command), 120)}`;
  return status === 'running' || status === 'stopped' ? colors.dim(text) : colors.yellow(text);
}

/** Who answered a question. */
const deciders = {
  person: 'by you',
  policy: 'without asking you',
  nobody: 'because nobody could be asked',
} as const satisfies Record<EventOf<'approval-answered'>['by'], string>;

function approvalLine({ kind, hosts, subject }: EventOf<'approval-requested'>, { colors }: Terminal): string {
  const to = hosts === undefined ? '' : ` to ${hosts.map(seenName).join(', ')}`;
  return colors.yellow(`approval needed (${seenName(kind)}${to}): ${oneLine(seenCommand(subject), 200)}`);
}

function answerLine(event: EventOf<'approval-answered'>, isQuestion: boolean, { colors }: Terminal): string {
  if (isQuestion) return colors.dim(`    ${agentAnswerText(event)}`);
  const { answer, by, scope = 'once', reason } = event;
  const how = scope === 'once' ? '' : scope === 'always' ? ', from now on' : ` for the ${scope}`;
  const why = by === 'policy' && reason !== undefined ? `: ${oneLine(seenWords(reason), 160)}` : '';
  return colors.dim(`    ${answer === 'allow' ? 'allowed' : 'denied'} ${deciders[by]}${how}${why}`);
}

function capAnswer({ answer, raisedUsd }: EventOf<'cap-answered'>): string {
  return answer === 'raise' ? `raised by ${moneyText(raisedUsd)}` : answer === 'local' ? 'continues locally' : 'stops';
}

function instructionsLine({ path, use, reason }: EventOf<'instructions-found'>, colors: Terminal['colors']): string {
  const text = `project instructions (${seenName(path)})`;
  return use === 'used'
    ? colors.dim(`${text}: ${indentText(reason)}`)
    : colors.yellow(`${text} are not followed: ${indentText(reason)}`);
}

/** The line for an event that is neither a step nor an action. Null: the event is of no use to the user. */
function describe(event: SessionEvent, { colors }: Terminal): string | null {
  switch (event.type) {
    case 'sandbox-started':
      return colors.dim(`sandbox: ${indentText(event.description)}`);
    case 'sandbox-lost':
      return colors.red(
        `sandbox lost: ${indentText(event.reason)}${event.recreated ? ' (a new one was started)' : ''}`,
      );
    case 'service-changed':
      return serviceLine(event, colors);
    case 'stage-chosen':
      return stageLine(event, { colors });
    case 'check-ended':
      return `${event.passed ? colors.green('✔') : colors.yellow('✖')} ${event.phase === 'before' ? 'before' : 'after'}${event.unrelated === true ? ', for an unrelated reason' : ''}: ${oneLine(seenCommand(event.command), 80)}  ${oneLine(resultOf(event.summary), 300)}`;
    case 'gate-checked':
      return `${event.verdict === 'pass' ? colors.green('✔') : event.verdict === 'redo' ? colors.yellow('✖') : colors.dim('·')} ${gateLooks[event.by]}: ${oneLine(event.text, 200)}`;
    case 'cache-prefilled':
      return colors.dim(`    ${oneLine(event.text, 160)}`);
    case 'recipe-progressed':
      return colors.dim(`    ${oneLine(seenWords(event.phase), 60)}: ${oneLine(event.text, 160)}`);
    case 'file-changed':
      return `    ${changeWord(event, colors)} ${seenName(event.path)}${counts(event)}${byPerson(event)}`;
    case 'notice-added':
      // The end of the call has said it.
      if (event.code === 'bad-call') return null;
      return `${event.level === 'warning' ? colors.yellow('warning') : 'note'}: ${indentText(event.text)}`;
    case 'context-compacted':
      return colors.yellow(`the conversation was summarized: ${event.beforeTokens} → ${event.afterTokens} tokens`);
    case 'observation-trimmed':
      return colors.dim(
        `    an output was shortened for the model: ${event.beforeTokens} → ${event.afterTokens} tokens`,
      );
    case 'answer-trimmed':
      return colors.dim(
        `    an earlier answer was shortened for the model: ${event.beforeTokens} → ${event.afterTokens} tokens`,
      );
    case 'session-repaired':
      return colors.yellow(`the log was repaired: ${indentText(event.reason)}`);
    case 'user-message-added':
      return event.attachments === undefined
        ? null
        : colors.dim(`attached: ${event.attachments.map((one) => seenName(attachmentLabel(one))).join(', ')}`);
    case 'message-delivered':
      return colors.dim('    your message was delivered');
    case 'instructions-found':
      return instructionsLine(event, colors);
    case 'network-used':
      return colors.dim(
        `    ${event.isAllowed ? 'reached' : 'blocked:'} ${seenName(event.host)}${event.port === null ? '' : `:${event.port}`}${event.isAllowed ? '' : ` (${oneLine(seenWords(event.reason), 160)})`}, ${event.count} connections, ${sizeText(event.sentBytes)} sent, ${sizeText(event.receivedBytes)} received`,
      );
    case 'call-fenced':
      return colors.yellow(
        `fence: ${event.outcome === 'redacted' ? indentText(hiddenText(event.text)) : `${event.outcome === 'refused' ? 'not sent' : 'needs your approval'}: ${indentText(event.text)}`}`,
      );
    case 'cap-reached':
      return colors.yellow(`spending limit: ${describeReachedCap(event)}`);
    case 'output-limited':
      return colors.dim(
        `    the answer may have ${event.maxOutputTokens} tokens at most, to keep the limit of ${moneyText(event.limitUsd)}`,
      );
    case 'cap-answered':
      return colors.dim(`    ${capAnswer(event)} (decided ${deciders[event.by]})`);
    default:
      return ofSession(event, colors);
  }
}

/** Events about the session as a whole. */
function ofSession(event: SessionEvent, colors: Terminal['colors']): string | null {
  if (event.type === 'terminal-opened')
    return colors.dim(event.ran === undefined ? 'you opened a terminal in the sandbox' : 'you ran code in the sandbox');
  if (event.type === 'restore-ended') return restoreLine(event, colors);
  if (event.type === 'untracked-found')
    return event.places.map((place) => colors.yellow(seenWords(untrackedText(place)))).join('\n');
  const text = event.type === 'history-copied' ? droppedGrantsText(event.dropped) : null;
  return text === null ? null : colors.yellow(text);
}

function restoreLine({ outcome, restored, kept }: EventOf<'restore-ended'>, colors: Terminal['colors']): string {
  if (outcome === 'interrupted') return colors.yellow('a restore to a checkpoint was interrupted');
  const stay = kept.length === 0 ? '' : `, ${kept.length} kept as they are`;
  return colors.dim(
    `you restored a checkpoint: ${restored.length} ${restored.length === 1 ? 'file' : 'files'} set back${stay}`,
  );
}

/** What a guard or a recipe takes back itself is no second change of the file. */
function changeWord({ by, toolCallId, before, after }: EventOf<'file-changed'>, colors: Terminal['colors']): string {
  if (by === 'undo' && toolCallId !== null) return colors.dim('put back');
  return colors.green(after === null ? 'deleted' : before === null ? 'new' : 'changed');
}

/** Only takes and undos are the user's. All other changes are the agent's. */
function byPerson({ by, toolCallId }: EventOf<'file-changed'>): string {
  if (by === 'take') return '  (you took it)';
  return by === 'undo' && toolCallId === null ? '  (you undid it)' : '';
}

function counts(event: EventOf<'file-changed'>): string {
  return event.added === null || event.removed === null ? '' : `  +${event.added} -${event.removed}`;
}

/** The counts of a test runner and what does not end, otherwise the last line that a command printed. */
function resultOf(output: string): string {
  const tests = summarizeTests(output);
  const [endless] = endlessTests(output);
  const known = [
    ...(tests === null ? [] : [`${describeTests(tests)}.`]),
    ...(endless === undefined ? [] : [endlessText([endless])]),
  ];
  if (endless !== undefined) return known.join(' ');
  if (tests !== null) return describeTests(tests);
  const late = /^It ran longer than \d{1,9} s\.$/mu.exec(output);
  if (late !== null) return late[0];
  const lines = output.trimEnd().split('\n');
  return lines.findLast((line) => /\p{L}{2}/u.test(line)) ?? lines.at(-1) ?? '';
}
