import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../tests/fakes/agent-kit.ts';
import { isWithoutEngine, startSandbox, type DockerUnderTest } from '../../tests/docker/docker-kit.ts';
import { shopTools } from '../../tests/generated/program-shop.ts';
import type { BenchRow } from './rows.ts';

/** What a call of a program that calls tools takes. */
export async function programRows(): Promise<readonly BenchRow[]> {
  if (isWithoutEngine) throw new Error('These figures need a container engine.');
  const session = await startSandbox();
  try {
    return [await callRow(session, 'python'), await callRow(session, 'javascript')];
  } finally {
    await session.close();
  }
}

const measured = 100;
const timed: Readonly<Record<ProgramLanguage, string>> = {
  python: `import time\ntook = []\nfor n in range(${measured}):\n    began = time.perf_counter()\n    tools.shop__get_order(id=n % 60)\n    took.append(time.perf_counter() - began)\nresult = sorted(took)[${measured / 2}] * 1000`,
  javascript: `const took = [];\nfor (let n = 0; n < ${measured}; n++) {\n  const began = performance.now();\n  await tools.shop__get_order({ id: n % 60 });\n  took.push(performance.now() - began);\n}\nresult = took.sort((one, other) => one - other)[${measured / 2}];`,
};

/**
 * The median time of a call through approval, fences and log, measured inside the program. The tool answers at once.
 */
async function callRow(session: DockerUnderTest, language: ProgramLanguage): Promise<BenchRow> {
  const program = timed[language];
  const asked = { plan: 'Time it.', calls: [{ tool: 'shop__get_order', most: measured }], program, language };
  const kit = createAgentKit({
    replies: [call('run_program', asked), call('task_complete', { summary: 'It is done.' })],
    model: { contextTokens: 200_000 },
    dependencies: {
      sandbox: session.sandbox,
      tools: { programs: () => 'on', connected: shopTools(() => undefined) },
      approver: { ask: async () => 'allow' },
    },
  });
  await kit.runner.send('Do it.', { ...turnOptions, strategy: 'loop' });
  const output = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'run_program')?.output ?? '';
  const milliseconds = Number(/Result:\n([\d.]+)$/u.exec(output)?.[1] ?? Number.NaN);
  return {
    figure: `a call of a program${language === 'python' ? '' : ' in JavaScript'} through approval, fences and log, seen from the program`,
    value: Math.round(milliseconds * 100) / 100,
    unit: 'ms',
    target: { atMost: 5 },
    note: `median of ${measured} calls of a tool that answers at once; the log in memory`,
  };
}
