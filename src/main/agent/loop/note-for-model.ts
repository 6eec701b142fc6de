import type { Turn } from '../turn/turn.ts';

/** Adds a notice, which the model reads too if its code is one of `noticesForModel`. */
export async function noteForModel({ log }: Pick<Turn, 'log'>, code: string, text: string): Promise<void> {
  await log.append({ type: 'notice-added', level: 'info', code, text });
}
