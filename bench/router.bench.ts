import { discoverRules } from '../src/main/routing/registry.ts';
import { modelsTimed, timeDecisions } from './lib/route-timing.ts';
import type { BenchRow } from './lib/rows.ts';

const decisionsEach = 500;

const talks = [
  ['2 kB', { bytes: 2_000, messages: 4 }],
  ['40 kB', { bytes: 40_000, messages: 40 }],
  ['200 kB', { bytes: 200_000, messages: 80 }],
  ['200 messages', { bytes: 100_000, messages: 200 }],
  ['200 kB and 200 messages', { bytes: 200_000, messages: 200 }],
] as const;

/** Measures how long the router takes. How well it chooses is a test (`tests/main/routing`). */
export function run(): Promise<readonly BenchRow[]> {
  const rules = discoverRules();
  const [[, first]] = talks;
  timeDecisions(rules, first, { models: modelsTimed.six, count: decisionsEach });
  let sockets = 0;
  const rows = (['two', 'six'] as const).flatMap((number) =>
    talks.flatMap(([name, talk]): readonly BenchRow[] => {
      const timing = timeDecisions(rules, talk, { models: modelsTimed[number], count: decisionsEach });
      sockets += timing.sockets;
      const figure = `decision among ${number}, ${name}`;
      const note = `${decisionsEach} decisions, each after a new step; p99 of the processor's time ${timing.cpuP99Ms.toFixed(2)} ms`;
      return [
        { figure: `${figure}, median`, value: timing.p50Ms, unit: 'ms', target: { atMost: 1 }, note },
        { figure: `${figure}, p99`, value: timing.p99Ms, unit: 'ms', target: { atMost: 5 } },
      ];
    }),
  );
  return Promise.resolve([
    ...rows,
    { figure: 'sockets opened by these decisions', value: sockets, unit: '', target: { atMost: 0 } },
  ]);
}
