import { messageOf } from '@shared/errors.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { InstructionCheck } from '../../safety/instructions/project-instructions.ts';
import { instructionsFor } from '@shared/safety/instruction-files.ts';
import { askApproval } from '../approval/request-approval.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import { folderInstructionsName } from '../prompt/loaded-skills.ts';
import type { ActionResult } from '../turn/take-action.ts';
import { takeAction } from '../turn/take-action.ts';
import type { ActingTurn, AskingTurn, Turn } from '../turn/turn.ts';

const LARGE_BUDGET_BYTES = 16 * 1024;
const MOST_NAMED = 5;

/**
 * Reads the project's instructions for agents: the nearest and best known file, as far as it fits. A small model gets
 * at most a twentieth of its context. The text says what is left out, and names other files, so that a tool can read
 * them. Instructions come from whoever wrote the project, so they are held back until the user approves exactly these
 * bytes. Question, answer and result are logged inside the action, so that a replay decides nothing anew.
 */
export async function readInstructions(
  turn: AskingTurn & ActingTurn,
  paths: readonly string[],
  model: ModelInfo,
): Promise<void> {
  const [path, ...others] = paths;
  if (path === undefined) return;
  const budget = isSmall(model) ? Math.floor((model.contextTokens / 20) * 3) : LARGE_BUDGET_BYTES;
  await takeAction(
    turn,
    {
      tool: 'read_instructions',
      label: `read ${path}`,
      input: { path },
      run: (toolCallId) => approvedText(turn, { path, others, toolCallId, budget }),
    },
    () => null,
  );
}

/**
 * Reads the instructions of folders in which the model has just read or changed a file, each once as long as the
 * conversation shows it, after the same approval as those of the project.
 */
export async function readFolderInstructions(
  turn: AskingTurn & ActingTurn & Pick<Turn, 'found' | 'prompt'>,
  files: readonly string[],
  contextTokens: number,
): Promise<void> {
  const { facts } = turn.found.facts ?? {};
  const told = turn.prompt.conversation.folderNotes();
  const known = instructionsFor(facts?.folderInstructions ?? [], files);
  const budget = Math.min(LARGE_BUDGET_BYTES / 2, Math.floor((contextTokens / 20) * 3));
  for (const path of known.filter((one) => !told.includes(one))) {
    await takeAction(
      turn,
      {
        tool: folderInstructionsName,
        label: `read ${path}`,
        input: { path },
        run: async (toolCallId) => ({
          ...(await approvedText(turn, { path, others: [], toolCallId, budget })),
          data: { path },
        }),
      },
      () => null,
    );
  }
}

interface ApprovalRequest {
  readonly path: string;
  readonly others: readonly string[];
  readonly toolCallId: string;
  /** In bytes. */
  readonly budget: number;
}

async function approvedText(turn: AskingTurn, asked: ApprovalRequest): Promise<ActionResult<null>> {
  const { path, others, budget } = asked;
  const read = await readBytes(turn, path);
  if (!read.ok) return { status: 'error', output: read.error.message, data: null };
  const look = await turn.dependencies.project.instructions.check(path, read.value.bytes);
  const verdict = await decide(turn, asked, look);
  const { sha256, state } = look;
  const { use, reason } = verdict;
  await turn.log.close({ type: 'instructions-found', path, sha256, state, use, reason });
  if (use === 'held' || look.text === null) {
    return { status: 'refused', output: `${path} is not used: ${reason}`, data: null };
  }
  return { status: 'ok', output: instructionText(path, look.text.trim(), budget) + notRead(others), data: null };
}

function readBytes(turn: Pick<Turn, 'dependencies' | 'signal'>, path: string) {
  return turn.dependencies.sandbox.files.read(path, { maxBytes: 1024 * 1024 }, turn.signal);
}

interface Verdict {
  readonly use: 'used' | 'held';
  readonly reason: string;
}

type Look = InstructionCheck & { readonly isRefused: boolean };

async function decide(turn: AskingTurn, asked: ApprovalRequest, look: Look): Promise<Verdict> {
  const { instructions: run = 'ask', approve } = turn.options;
  if (run === 'off') return held('this run takes no instructions of the project (--instructions off)');
  if (look.text === null) return held(`${look.problem ?? 'it cannot be shown'}, so nobody can approve it`);
  if (look.state === 'approved') return { use: 'used', reason: 'a person approved exactly these bytes' };
  if (run === 'use') return { use: 'used', reason: 'this run takes them as they are (--instructions use)' };
  if (look.isRefused) return held('a person said no to it in this session');
  const why = look.state === 'changed' ? 'it is not what was approved' : 'nobody has approved it';
  const answer = await ask(turn, asked, { ...look, text: look.text });
  switch (answer) {
    case 'allow':
      return keepYes(turn, asked.path, { ...look, text: look.text });
    case 'deny':
      return held(approve === 'ask' ? 'a person said no to it' : `${why}, and this run asks nobody`);
    case 'nobody':
      return held(`${why}, and nobody could be asked. To say yes: dewpoint projects instructions approve`);
    default:
      return answer satisfies never;
  }
}

const held = (reason: string): Verdict => ({ use: 'held', reason });

const askedBecause = {
  new: 'The project brings instructions for agents. A model would follow them; nobody has approved them yet.',
  changed: 'The instructions of this project are others than those that were approved.',
} as const;

function ask(turn: AskingTurn, { path, toolCallId }: ApprovalRequest, look: Look & { readonly text: string }) {
  const { sha256, text, diff, state } = look;
  return askApproval(turn, {
    kind: 'instructions',
    subject: path,
    reason: state === 'changed' ? askedBecause.changed : askedBecause.new,
    toolCallId,
    shown: { sha256, text, diff },
  });
}

/** Compares the approved text with the present file, because it may have changed while the user was asked. */
async function keepYes(
  turn: Pick<Turn, 'dependencies' | 'signal'>,
  path: string,
  look: Look & { readonly text: string },
): Promise<Verdict> {
  const now = await readBytes(turn, path);
  const same = now.ok && Buffer.compare(now.value.bytes, Buffer.from(look.text, 'utf8')) === 0;
  if (!same) return held('its bytes changed while it was being approved');
  try {
    await turn.dependencies.project.instructions.keep(path, look.text);
    return { use: 'used', reason: 'a person approved exactly these bytes' };
  } catch (error) {
    return { use: 'used', reason: `a person approved it; it could not be kept for the next time: ${messageOf(error)}` };
  }
}

function notRead(others: readonly string[]): string {
  if (others.length === 0) return '';
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  return `\n(Not read: ${others.slice(0, MOST_NAMED).join(', ')}${more}.)`;
}

function instructionText(path: string, text: string, budgetBytes: number): string {
  const bytes = Buffer.byteLength(text, 'utf8');
  const cut = path.lastIndexOf('/');
  const about = cut === -1 ? 'the project' : `the folder ${path.slice(0, cut)}`;
  if (bytes <= budgetBytes) return `Instructions of ${about} (${path}):\n${text}`;
  const head = text.slice(0, budgetBytes);
  const end = Math.max(head.lastIndexOf('\n'), Math.floor(budgetBytes / 2));
  const shown = head.slice(0, end);
  return `Instructions of ${about} (${path}), the first ${shown.length} of ${bytes} bytes; read the file for the rest:\n${shown}`;
}
