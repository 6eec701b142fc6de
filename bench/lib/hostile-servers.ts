import { meetServer, serverTroubles } from '../../tests/fakes/tool-server-troubles.ts';
import type { BenchRow } from './rows.ts';

/** Every way in which a tool server can be hostile, over stdio and over HTTP. */
export async function hostileServerRow(): Promise<BenchRow> {
  const missed: string[] = [];
  let played = 0;
  for (const trouble of serverTroubles) {
    for (const way of trouble.ways ?? (['pipes', 'http'] as const)) {
      played += 1;
      const wrong = await meetServer(trouble, way);
      if (wrong.length > 0) missed.push(`${trouble.mode} over ${way} (${wrong.join(', ')})`);
    }
  }
  return {
    figure: 'hostile tool servers that harmed more than themselves',
    value: missed.length,
    unit: '',
    target: { atMost: 0 },
    note: missed.length === 0 ? `of ${played}` : missed.join('; ').slice(0, 2_000),
  };
}
