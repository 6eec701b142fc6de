import { meetTrouble, ollamaTroubles } from '../../tests/fakes/ollama-troubles.ts';
import type { BenchRow } from './rows.ts';

/** Ollama servers that truncate, clamp, spill, lie, hang or answer only half. Each has to be detected and named. */
export async function fakeServersRow(): Promise<BenchRow> {
  const missed: string[] = [];
  for (const trouble of ollamaTroubles) {
    const said = await meetTrouble(trouble);
    if (said !== null) missed.push(`${trouble.name} (${said})`);
  }
  return {
    figure: 'faults of fake Ollama servers that were missed',
    value: missed.length,
    unit: '',
    target: { atMost: 0 },
    note: missed.length === 0 ? `${ollamaTroubles.length} faults, each caught and named` : missed.join('; '),
  };
}
