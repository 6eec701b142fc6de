import { neverAborts } from '../../lib/async/abort.ts';
import type { HardwareProbe } from './hardware.ts';

/** A game or another model takes more than this share of a card's memory. A desktop with a browser takes less. */
const muchShare = 1 / 3;
/** Model engines (the built-in one runs in Node). Their memory does not count as other programs' use. */
const ownName = /(?:^|[\\/])(?:node|ollama|llama)[^\\/]*$/iu;

const format = '--format=csv,noheader,nounits';
const cardArguments = ['--query-gpu=memory.total,memory.used', format];
const programArguments = ['--query-compute-apps=process_name,used_memory', format];

/** Whether programs that run no model hold much of a card's memory. Null: there is no tool to find out. */
export async function readOtherCardUse({ run }: Pick<HardwareProbe, 'run'>): Promise<boolean | null> {
  const [cards, programs] = await Promise.all([
    run('nvidia-smi', cardArguments, neverAborts),
    run('nvidia-smi', programArguments, neverAborts),
  ]);
  return cards === null || programs === null ? null : isUsedByOthers(cards, programs);
}

/** Both arguments are output of `nvidia-smi`, in MiB. Null if it does not say how much a model engine holds. */
function isUsedByOthers(cards: string, programs: string): boolean | null {
  const rows = rowsOf(cards).map(([total = '', used = '']) => ({ total: Number(total), used: Number(used) }));
  if (rows.length === 0 || rows.some(({ total, used }) => !(total > 0) || !Number.isFinite(used))) return null;
  const own = rowsOf(programs).filter((fields) => ownName.test(fields.slice(0, -1).join(',').trim()));
  // Several cards count as one. Which card a program uses is not considered.
  const ownMib = own.reduce((sum, fields) => sum + Number(fields.at(-1)), 0);
  if (!Number.isFinite(ownMib)) return null;
  const sum = (of: 'total' | 'used'): number => rows.reduce((all, row) => all + row[of], 0);
  return sum('used') - ownMib > sum('total') * muchShare;
}

function rowsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => line.split(','));
}
