import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { success } from '@shared/errors.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import type { Sandbox } from '../../../src/main/sandbox/sandbox.ts';
import { keptIn } from '../../../src/main/hosts/cli/commands/run.command.ts';
import { showResult } from '../../../src/main/hosts/text/result-text.ts';
import { commandContext } from '../../../tests/fakes/command-context.ts';
import type { ClientCore } from '../../../tests/fakes/core-client.ts';
import { eventsOf, followEvents, openClientCore } from '../../../tests/fakes/core-client.ts';
import { createFolderSandbox } from '../../../tests/fakes/sandbox/folder-sandbox.ts';
import type { Course, Move } from './course.ts';
import type { Asked, ScriptedModels, Script } from './scripted-models.ts';
import { startScriptedModels } from './scripted-models.ts';

/** What can be seen from outside when a course is over. */
export interface SeenCourse {
  readonly results: readonly RunResult[];
  readonly events: readonly SessionEvent[];
  /** Of the sessions of child agents. */
  readonly childEvents: readonly SessionEvent[];
  readonly asked: readonly Asked[];
  readonly files: ReadonlyMap<string, string>;
  /** What the judge said of the work. Null: the course has none. */
  readonly judged: { readonly passed: boolean; readonly output: string } | null;
  /** What the terminal shows at the end of the last turn. */
  readonly shown: string;
}

export interface CoursePlace {
  /** Where the models of this machine are. Needed for courses with the real starter only. */
  readonly cache: string;
  /** How long a turn may take. */
  readonly limitMs: number;
}

export const starter = 'llama-cpp/qwen2.5-coder-1.5b-instruct';

/** In US dollars per million tokens, and in billions of parameters. */
const knownModels: Readonly<Record<string, object>> = {
  strong: { price: { input: 3, output: 15, source: 'made', date: '2026-11-21' }, context: 128_000 },
  cheap: { price: { input: 0.3, output: 1.2, source: 'made', date: '2026-11-21' }, context: 64_000 },
  middle: { price: { input: 1, output: 5, source: 'made', date: '2026-11-21' }, context: 64_000 },
  large: { parametersB: 70, context: 64_000 },
  third: { parametersB: 14, context: 32_000 },
  small: { parametersB: 3, context: 16_000 },
};

/** Plays one course in a home of its own. Rejects when a turn does not end. */
export async function runCourse(course: Course, place: CoursePlace): Promise<SeenCourse> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-course-'));
  const [project, home, scratch] = [join(folder, 'project'), join(folder, 'home'), join(folder, 'scratch')];
  for (const path of [project, home, scratch]) await mkdir(path);
  for (const [path, text] of Object.entries(course.files ?? {})) await put(join(project, path), text);
  const later: { act: (moves: readonly Move[]) => Promise<void> } = { act: async () => undefined };
  const scripts = { ...course.cloud, ...course.local };
  const models = await startScriptedModels(scripts, (name) => later.act(course.meanwhile?.[name] ?? []));
  const open = (): Promise<ClientCore> =>
    openClientCore({
      home,
      cache: course.hasStarter === true ? place.cache : join(folder, 'cache'),
      version: '0.0.0-bench',
      onNotice: () => undefined,
      env: {},
      startSandbox: async ({ workspacePath }) =>
        success(lying(course, createFolderSandbox(workspacePath, { scratchPath: scratch, hasOwnGroups: true }))),
    });
  const kit = { core: await open() };
  try {
    await configure(kit.core, course, models);
    const { sessionId } = await kit.core.client.sessions.create({ projectPath: project, title: 'A course' });
    let stop = followPerson(kit.core, course, sessionId);
    const results: RunResult[] = [];
    const act = async (move: Move): Promise<boolean> => {
      const { settings, sessions } = kit.core.client;
      if ('set' in move) await settings.set({ key: move.set[0], value: move.set[1] });
      else if ('cancel' in move) await sessions.cancel({ sessionId });
      else if ('say' in move)
        await sessions.send({
          sessionId,
          text: move.say,
          options: await optionsOf(kit.core, sessionId, [course, move]),
        });
      else {
        stop();
        await kit.core.dispose();
        kit.core = await open();
        stop = followPerson(kit.core, course, sessionId);
      }
      return 'say' in move;
    };
    later.act = async (moves) => {
      for (const move of moves) await act(move);
    };
    if (course.stopsAfterMs !== undefined)
      void wait(course.stopsAfterMs).then(() => kit.core.client.sessions.cancel({ sessionId }));
    for (const move of course.does) if (await act(move)) results.push(await endOf(kit.core, sessionId, place.limitMs));
    stop();
    const seen = await look(kit.core, { sessionId, project, results, asked: models.asked });
    return { ...seen, judged: await judgeWork(course, project) };
  } finally {
    await kit.core.dispose();
    await models.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The sandbox, or one in which a command answers falsely. */
function lying({ lies }: Course, sandbox: Sandbox): Sandbox {
  if (lies === undefined) return sandbox;
  const text = `An experiment: commands like ${lies.command.source} answer falsely. ${sandbox.description.text}`;
  return {
    ...sandbox,
    description: { ...sandbox.description, text },
    exec: async (request, signal) => {
      const done = await sandbox.exec(request, signal);
      if (!lies.command.test(request.command) || !done.ok) return done;
      const stdoutBytes = Buffer.byteLength(lies.prints);
      request.onOutput?.({ stream: 'stdout', bytes: Buffer.from(lies.prints) });
      const told = { stdout: lies.prints, stdoutBytes, stderr: '', stderrBytes: 0 };
      return success({ ...done.value, ...told, outcome: 'exited', exitCode: 0 });
    },
  };
}

async function judgeWork({ expected: { judge } }: Course, project: string): Promise<SeenCourse['judged']> {
  if (judge === undefined) return null;
  for (const [path, text] of Object.entries(judge.files)) await put(join(project, path), text);
  const request = { command: judge.command, timeoutMs: 60_000 };
  const done = await createFolderSandbox(project, {}).exec(request, new AbortController().signal);
  if (!done.ok) return { passed: false, output: done.error.message };
  return { passed: done.value.exitCode === 0, output: `${done.value.stdout}\n${done.value.stderr}` };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function configure({ client }: ClientCore, course: Course, { baseUrl }: ScriptedModels): Promise<void> {
  const set = (key: string, value: unknown): Promise<unknown> => client.settings.set({ key, value });
  const places = { sky: ['cloud', course.cloud], home: ['local', course.local] } as const;
  for (const [id, [where, scripts]] of Object.entries(places)) {
    const names = Object.keys(scripts ?? {});
    if (names.length === 0) continue;
    const models = Object.fromEntries(names.map((name) => [name, { tools: true, ...knownModels[name] }]));
    await set(`providers.${id}`, { kind: 'openai-compatible', baseUrl, where, models });
    await set(where, `${id}/${names[0]}`);
  }
  await set('policy', course.policy);
  if (course.hasStarter === true) await set('local', starter);
  for (const [key, value] of Object.entries(course.settings ?? {})) await set(key, value);
}

/** As the terminal sends a message: what it does not choose is as it was chosen before. */
async function optionsOf(
  { handlers }: ClientCore,
  sessionId: string,
  [course, said]: readonly [Course, { readonly options?: Partial<RunOptions> }],
): Promise<RunOptions> {
  const interactive = [course.approves, course.answers, course.raises].some((one) => one !== undefined);
  const options = runOptionsSchema.parse({ interactive, ...course.options, ...said.options });
  return keptIn(commandContext({ handlers }).context, { ...options, sessionId });
}

/** Answers for the person, as far as the course has answers. Returns what ends that. */
function followPerson({ client }: ClientCore, course: Course, sessionId: string): () => void {
  let { raises } = course;
  const answer = async (event: SessionEvent): Promise<void> => {
    if (event.type === 'approval-requested' && event.kind === 'question' && course.answers !== undefined) {
      const values = { own: course.answers };
      await client.sessions.approve({ sessionId, approvalId: event.approvalId, answer: 'allow', values });
    } else if (event.type === 'approval-requested' && course.approves !== undefined)
      await client.sessions.approve({ sessionId, approvalId: event.approvalId, answer: course.approves });
    if (event.type !== 'cap-reached' || course.options?.atCap !== 'ask') return;
    const decision = raises === undefined ? ({ answer: 'stop' } as const) : ({ answer: 'raise', usd: raises } as const);
    raises = undefined;
    await client.sessions.answerCap({ sessionId, capId: event.capId, decision });
  };
  // An answer to what was answered before, as after a restart, is refused.
  return followEvents(client, sessionId, (event) => void answer(event).catch(() => undefined));
}

async function endOf({ client }: ClientCore, sessionId: string, limitMs: number): Promise<RunResult> {
  const stop = new AbortController();
  const late = wait(limitMs, null, { signal: stop.signal }).catch(() => null);
  const result = await Promise.race([client.sessions.result({ sessionId }), late]);
  stop.abort();
  if (result === null) throw new Error(`The turn did not end within ${limitMs / 1000} s.`);
  return result;
}

interface Ended {
  readonly sessionId: string;
  readonly project: string;
  readonly results: readonly RunResult[];
  readonly asked: readonly Asked[];
}

async function look({ client, handlers }: ClientCore, ended: Ended): Promise<Omit<SeenCourse, 'judged'>> {
  const { sessionId, project, results, asked } = ended;
  const all = await client.sessions.list();
  const children = all.filter((session) => session.sessionId !== sessionId);
  const childEvents = await Promise.all(children.map((child) => eventsOf(client, child.sessionId)));
  const { context, said } = commandContext({ handlers });
  const last = results.at(-1);
  if (last !== undefined) showResult(last, context.terminal, { isJson: false, currency: null });
  const files = new Map<string, string>();
  for (const entry of await readdir(project, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(project.length + 1);
    if (entry.isFile() && !/(?:^|\/)(?:\.git|__pycache__|\.pytest_cache)\//u.test(name))
      files.set(name, await readFile(path, 'utf8'));
  }
  return {
    results,
    events: await eventsOf(client, sessionId),
    childEvents: childEvents.flat(),
    asked,
    files,
    shown: `${said.out}\n${said.err}`,
  };
}

/** How many answers scripts have; null where a function answers. */
export function answersOf(scripts: Readonly<Record<string, Script>> = {}): number | null {
  return Object.values(scripts).reduce<number | null>(
    (sum, script) => (sum === null || typeof script === 'function' ? null : sum + script.length),
    0,
  );
}
