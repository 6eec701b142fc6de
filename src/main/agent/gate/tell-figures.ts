import { z } from 'zod';
import type { AttachedFile } from '../../recipes/conversation-entries.ts';
import { tableFigures } from '../../documents/figures/table-figures.ts';
import { fencedIn } from '../../safety/fenced-text.ts';
import { noteForModel } from '../loop/note-for-model.ts';
import { takeAction } from '../turn/take-action.ts';
import type { TurnEnd } from '../turn/turn-baseline.ts';
import type { Turn } from '../turn/turn.ts';
import { wrongSums } from './wrong-sums.ts';

/** More is no table that a person pasted to ask about. */
const mostBytes = 512 * 1024;
const opening =
  'Computed exactly by a program from the numbers of this message. Use these figures and add up nothing yourself:';

/**
 * Tells a small model the figures of the tables in a question and its attachments, which it adds up wrongly by itself.
 * What a fence keeps here gets none, so that no figure of it leaves.
 */
export async function tellTableFigures(turn: Turn): Promise<void> {
  const { given, prompt, dependencies, signal } = turn;
  const last = prompt.conversation.entries().findLast((entry) => entry.type === 'user');
  if (!given.isQuestion || last?.type !== 'user') return;
  const told = [tableFigures(turn.task), ...(last.attached ?? []).map(figuresOfFile)];
  const figures = told.filter((one) => one !== null).join('\n');
  if (figures === '') return;
  const isFree = async (text: string): Promise<boolean> => {
    const free = await fencedIn(dependencies.fences, text, signal);
    return free.hits.length === 0 && free.text === text;
  };
  // In the log, because a replay looks through no fence.
  const free = await takeAction(
    turn,
    {
      tool: 'table_figures',
      label: 'compute the figures of the tables',
      input: {},
      run: async () => {
        const data = (await isFree(figures)) && (await isFree(turn.task));
        return { status: 'ok', output: data ? 'Done.' : 'A privacy rule covers them.', data };
      },
    },
    (data) => z.boolean().parse(data),
  );
  if (free) await noteForModel(turn, 'table-figures', `${opening}\n${figures}`);
}

/** A text that is not whole has no sum worth telling. A workbook has its numbers with a point. */
function figuresOfFile({ attachment, bytes }: AttachedFile): string | null {
  if (attachment.kind !== 'text' || bytes === null || bytes.length > mostBytes) return null;
  if (attachment.document?.isCut === true || attachment.chat !== undefined) return null;
  return tableFigures(new TextDecoder().decode(bytes), attachment.document?.kind === 'excel' ? '.' : null);
}

/** Says which sums of an answer do not hold: a small model writes them down as surely as right ones. */
export async function warnWrongSums(turn: Turn, { reason, text }: TurnEnd): Promise<void> {
  const wrong = reason === 'answered' ? wrongSums(text) : [];
  if (wrong.length === 0 || turn.signal.aborted) return;
  const sums = wrong.map(({ expression, claimed, value }) => {
    const exact = Number(value.toFixed(4));
    return `${expression} is ${exact}, not ${claimed}.`;
  });
  const said = `The answer computes wrongly: ${sums.join(' ')} Check what it says from that.`;
  await turn.log.close({ type: 'notice-added', level: 'warning', code: 'wrong-sum', text: said });
}
