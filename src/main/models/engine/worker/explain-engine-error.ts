import { outOfMemoryLines } from '../out-of-memory-lines.ts';
import { watchMemory } from '../process-memory.ts';
import type { EngineError } from './worker-protocol.ts';

/**
 * Explains an error of the engine, after its printed output has arrived.
 * @param log the engine's last output, because its errors alone say little
 */
export async function explainError(error: unknown, log: readonly string[]): Promise<EngineError> {
  await logToArrive();
  return nameError(error, mostTelling(log), memoryVerdict);
}

/**
 * The engine prints from its own threads, often after it has thrown. The `setImmediate` lets the output be read even
 * if the machine stood still and the time has passed.
 */
async function logToArrive(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  await new Promise((resolve) => void setImmediate(resolve));
}

function mostTelling(lines: readonly string[]): readonly string[] {
  const aboutMemory = outOfMemoryLines(lines);
  return aboutMemory.length > 0 ? aboutMemory : lines;
}

/**
 * Recognizes lack of memory and unknown models. All else is a general error.
 * @param verdict why lack of memory may be the cause, in words; null if nothing indicates that
 */
export function nameError(error: unknown, log: readonly string[], verdict: () => string | null): EngineError {
  const thrown = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error ? error.name : '';
  const said = log.slice(-3).join(' ').trim();
  const message = said === '' ? thrown : `${thrown} (${said})`;
  if (name === 'InsufficientMemoryError' || outOfMemoryLines([message]).length > 0)
    return { code: 'out-of-memory', message };
  // Either there is no build for this machine, or its libraries had no memory. The error does not say which.
  if (thrown === 'NoBinaryFoundError' || /no backends are loaded/i.test(message)) {
    const why = verdict();
    return why === null
      ? { code: 'internal', message: `No build of the engine for this machine could be loaded (${message}).` }
      : { code: 'out-of-memory', message: `The engine could not be loaded. ${why}` };
  }
  const architecture = /unknown model architecture: '([^']*)'/.exec(log.join('\n'))?.[1];
  if (architecture !== undefined) {
    return {
      code: 'bad-model',
      message: `This engine does not know models of the kind ${architecture}. A newer Dewpoint may know them.`,
    };
  }
  if (/failed to load model/i.test(thrown))
    return { code: 'bad-model', message: `The engine cannot load this model: ${message}` };
  const why = verdict();
  return why === null ? { code: 'internal', message } : { code: 'out-of-memory', message: `${message} ${why}` };
}

/** The memory verdict for this process. */
function memoryVerdict(): string | null {
  const memory = watchMemory(process.pid);
  memory.look();
  return memory.verdict(null);
}
