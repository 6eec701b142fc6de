import { outOfMemoryLines } from '../out-of-memory-lines.ts';
import { watchMemory } from '../process-memory.ts';
import type { EngineError } from './worker-protocol.ts';

/**
 * Names what the engine threw, once what it printed meanwhile has arrived.
 * @param log what the engine printed lately; what it throws says little
 */
export async function explainError(error: unknown, log: readonly string[]): Promise<EngineError> {
  await logToArrive();
  return nameError(error, mostTelling(log), memoryVerdict);
}

/**
 * What the engine prints comes from its own threads, often after what it throws. On a machine that stood still meanwhile
 * the time is over before anything was listened to: one turn of the loop belongs to it, too.
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
 * What memory could not hold, and models that the engine does not know, apart from the rest.
 * @param verdict why memory may be what is behind it, in words; null where nothing says so
 */
export function nameError(error: unknown, log: readonly string[], verdict: () => string | null): EngineError {
  const thrown = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error ? error.name : '';
  const said = log.slice(-3).join(' ').trim();
  const message = said === '' ? thrown : `${thrown} (${said})`;
  if (name === 'InsufficientMemoryError' || outOfMemoryLines([message]).length > 0)
    return { code: 'out-of-memory', message };
  // There is no build for this machine, or its libraries found no room: nobody says which.
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

/** Of this process. */
function memoryVerdict(): string | null {
  const memory = watchMemory(process.pid);
  memory.look();
  return memory.verdict(null);
}
