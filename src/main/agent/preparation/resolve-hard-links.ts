import { createSessionAnswers } from '../../safety/session-answers.ts';
import { createLogFold } from '../../sessions/journal/log-fold.ts';
import type { FoundLinks, SandboxLinks } from '../../sandbox/sandbox.ts';
import { askApproval } from '../approval/request-approval.ts';
import type { ActionResult } from '../turn/take-action.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, AskingTurn, Turn } from '../turn/turn.ts';
import { sha256Of } from '../../lib/sha256.ts';

/**
 * Before a model can act, reports project files that are hard-linked to files elsewhere, and asks the user whether to
 * make them separate files. Question, answer and result are logged inside one action.
 */
export async function resolveHardLinks(turn: AskingTurn & ActingTurn, count: number): Promise<void> {
  await takeAction(
    turn,
    {
      tool: 'break_hard_links',
      label: 'check files that are linked elsewhere',
      input: { count },
      run: (toolCallId) => settle(turn, toolCallId),
    },
    () => null,
  );
}

async function settle(turn: AskingTurn & ActingTurn, toolCallId: string): Promise<ActionResult<null>> {
  const { links } = turn.dependencies.sandbox;
  const found = links.found();
  if (found === null) return { status: 'ok', output: 'There are none any more.', data: null };
  const answer = await ask(turn, toolCallId, found);
  if (answer === 'allow') return breakThem(turn, links);
  const why = answer === 'nobody' ? 'nobody could be asked' : 'the answer was no';
  const output = `${found.subject}. They were left as they are: ${why}. A command that changes one in place changes the other.`;
  if (answer === 'nobody') await reportHardLinks(turn, output);
  return { status: 'refused', output, data: null };
}

function ask(turn: AskingTurn, toolCallId: string, { subject, text }: FoundLinks) {
  const sha256 = sha256Of(text);
  return askApproval(turn, {
    kind: 'hard-links',
    subject,
    reason:
      'A command that changes one of them in place changes the file outside of this project, too. To break a link gives the project a file of its own with the same bytes and mode; the other one stays as it is.',
    toolCallId,
    shown: { sha256, text, diff: null },
  });
}

const shownLeft = 5;

async function breakThem(turn: ActingTurn, links: SandboxLinks): Promise<ActionResult<null>> {
  const { broken, left } = await links.break(turn.signal);
  const done =
    broken === 1 ? '1 file is no longer linked.' : `${broken.toLocaleString('en')} files are no longer linked.`;
  if (left.length === 0) return { status: 'ok', output: done, data: null };
  const lines = left.slice(0, shownLeft).map(({ path, why }) => `${path}: ${why}`);
  const output = [`${done} ${left.length.toLocaleString('en')} stayed linked:`, ...lines].join('\n');
  await reportHardLinks(turn, output);
  return { status: 'error', output, data: null };
}

async function reportHardLinks(turn: Pick<Turn, 'log'>, text: string): Promise<void> {
  await turn.log.append({ type: 'notice-added', level: 'warning', code: 'links-left', text });
}

/** The questions that the user was asked in this session, with the answers. Read once, then kept up with the log. */
export const answersSoFar = createLogFold(createSessionAnswers, (answers, event) => answers.add(event));

/** The number of such files that the user was not asked about in this session. */
export async function openLinks({ dependencies: { journal, sandbox } }: Pick<Turn, 'dependencies'>): Promise<number> {
  const count = sandbox.links.found()?.count ?? 0;
  if (count === 0) return 0;
  const answers = await answersSoFar(journal);
  return answers.all().some(({ kind }) => kind === 'hard-links') ? 0 : count;
}
