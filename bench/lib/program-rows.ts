import type { ProgramLanguage } from '@shared/tools/program-tool.ts';
import { promptBytes } from '../../src/main/agent/prompt/token-estimate.ts';
import type { AgentKit, Reply } from '../../tests/fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../tests/fakes/agent-kit.ts';
import { isWithoutEngine, startSandbox, type DockerUnderTest } from '../../tests/docker/docker-kit.ts';
import { runHostilePrograms } from './hostile-programs.ts';
import { shopTools } from './program-shop.ts';
import { programTasks, taskFiles, type ProgramTask } from './program-tasks.ts';
import type { BenchRow } from './rows.ts';
import { seeded } from './seeded.ts';

const bytesPerToken = 4;
/** For the work without a program: how many calls a strong model puts into one answer. */
const callsInAnswer = 8;

/** Programs that call tools: what they save, what a call of them costs, and what hostile ones reach. */
export async function programRows(hostile: number): Promise<readonly BenchRow[]> {
  if (isWithoutEngine) throw new Error('These figures need a container engine.');
  const session = await startSandbox();
  try {
    for (const [path, text] of Object.entries(taskFiles())) await session.put(path, text);
    const calls = [await callRow(session, 'python'), await callRow(session, 'javascript')];
    return [...(await taskRows(session)), ...calls, await hostileRow(session, hostile)];
  } finally {
    await session.close();
  }
}

interface Spent {
  readonly tokens: number;
  readonly seconds: number;
  readonly kit: AgentKit;
}

async function spend(session: DockerUnderTest, replies: readonly Reply[], programs: 'on' | 'off'): Promise<Spent> {
  const kit = createAgentKit({
    replies: [...replies, call('task_complete', { summary: 'It is done.' })],
    model: { contextTokens: 200_000 },
    dependencies: {
      sandbox: session.sandbox,
      programs: () => programs,
      foreign: shopTools(() => undefined),
      approver: { ask: async () => 'allow' },
    },
  });
  const startedAt = performance.now();
  await kit.runner.send('Do it.', { ...turnOptions, strategy: 'loop', maxTokens: 10_000_000, maxSteps: 100 });
  const seconds = (performance.now() - startedAt) / 1000;
  const asked = kit.requests.reduce((sum, request) => sum + promptBytes(request), 0);
  const answered = ofType(kit.journal.events, 'model-call-ended').reduce(
    (sum, { parts }) => sum + Buffer.byteLength(JSON.stringify(parts)),
    0,
  );
  return { tokens: (asked + answered) / bytesPerToken, seconds, kit };
}

function plainReplies({ batches }: ProgramTask): readonly Reply[] {
  return batches.flatMap((batch) =>
    Array.from({ length: Math.ceil(batch.length / callsInAnswer) }, (_, at) => ({
      calls: batch.slice(at * callsInAnswer, (at + 1) * callsInAnswer),
    })),
  );
}

async function taskRows(session: DockerUnderTest): Promise<readonly BenchRow[]> {
  const sum = { plain: 0, program: 0, plainSeconds: 0, programSeconds: 0, solved: 0 };
  const shares: string[] = [];
  for (const task of programTasks) {
    const plain = await spend(session, plainReplies(task), 'off');
    const { name, program, announced, result } = task;
    const run = call('run_program', {
      plan: `${name}: all at once, then what it comes to.`,
      calls: announced,
      program,
    });
    const one = await spend(session, [run], 'on');
    const output =
      ofType(one.kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'run_program')?.output ?? '';
    if (output.endsWith(`Result:\n${JSON.stringify(result)}`)) sum.solved += 1;
    else console.error(`${name}: ${output.slice(0, 1500)}`);
    sum.plain += plain.tokens;
    sum.program += one.tokens;
    sum.plainSeconds += plain.seconds;
    sum.programSeconds += one.seconds;
    shares.push(`${Math.round((one.tokens / plain.tokens) * 100)}`);
  }
  const seconds = `${sum.plainSeconds.toFixed(1)} s by calls, ${sum.programSeconds.toFixed(1)} s by programs, without a model's time`;
  return [
    {
      figure: 'tokens of ten tasks of many calls, by programs beside plain calls',
      value: Math.round((sum.program / sum.plain) * 100),
      unit: '%',
      target: { atMost: 50 },
      note: `${Math.round(sum.plain)} and ${Math.round(sum.program)} tokens, bytes by ${bytesPerToken}; plain calls ${callsInAnswer} in an answer; each task: ${shares.join(', ')} %; ${seconds}`,
    },
    {
      figure: 'of these tasks, programs that gave the right result',
      value: sum.solved,
      unit: '',
      target: { atLeast: programTasks.length },
      note: `of ${programTasks.length}, written by hand`,
    },
  ];
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
  const { kit } = await spend(session, [call('run_program', asked)], 'on');
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

async function hostileRow(session: DockerUnderTest, count: number): Promise<BenchRow> {
  const { effects, scripts, attempts, calls, ends } = await runHostilePrograms(session, count, seeded(34));
  return {
    figure: 'effects that nobody approved, of hostile programs in a real container',
    value: effects.length,
    unit: '',
    target: { atMost: 0 },
    note: `${scripts} scripts of ${attempts} attempts, ${calls} calls that were announced and made; ends: ${[...ends].map(([end, times]) => `${end} ${times}`).join(', ')}${effects.length === 0 ? '' : `: ${effects.slice(0, 3).join('; ')}`}`,
  };
}
