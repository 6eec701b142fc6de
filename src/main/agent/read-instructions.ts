import type { ModelInfo } from '@shared/models.ts';
import { isSmall } from './build-prompt.ts';
import { takeAction } from './take-action.ts';
import type { Turn } from './turn.ts';

const LARGE_BUDGET_BYTES = 16 * 1024;

/**
 * Reads the project's instructions for agents, nearest and best known first, as far as they fit. A small model gets
 * a twentieth of its window of them; what is left out is said, so that it can be read with a tool.
 */
export async function readInstructions(turn: Turn, paths: readonly string[], model: ModelInfo): Promise<void> {
  const path = paths[0];
  if (path === undefined) return;
  const budget = isSmall(model) ? Math.floor((model.contextTokens / 20) * 3) : LARGE_BUDGET_BYTES;
  await takeAction(
    turn,
    {
      tool: 'read_instructions',
      label: `read ${path}`,
      input: { path },
      run: async () => {
        const read = await turn.services.sandbox.readFile(path, { maxBytes: 1024 * 1024 }, turn.signal);
        if (!read.ok) return { status: 'error', output: read.error.message, data: null };
        const text = Buffer.from(read.value.bytes).toString('utf8').trim();
        return { status: 'ok', output: instructionText(path, text, budget), data: null };
      },
    },
    () => null,
  );
}

function instructionText(path: string, text: string, budgetBytes: number): string {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes <= budgetBytes) return `Instructions of the project (${path}):\n${text}`;
  const head = text.slice(0, budgetBytes);
  const end = Math.max(head.lastIndexOf('\n'), Math.floor(budgetBytes / 2));
  const shown = head.slice(0, end);
  return `Instructions of the project (${path}), the first ${shown.length} of ${bytes} bytes; read the file for the rest:\n${shown}`;
}
