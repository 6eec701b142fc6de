import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@shared/errors.ts';
import { serverDefinitionSchema, type ServerDefinition } from '@shared/tools/server-definition.ts';
import { toolsBytes } from '../../src/main/agent/prompt/token-estimate.ts';
import { toolSpec } from '../../src/main/agent/prompt/tool-descriptions.ts';
import { isRawInput } from '../../src/main/tools/define.ts';
import { createFindTools } from '../../src/main/tools/connected/find-tools.ts';
import { createConnectedTool, type ConnectedCallWays } from '../../src/main/tools/connected/connected-tool.ts';
import { bridgeHostile } from './hostile-http-bridge.ts';
import {
  approveAll,
  hostileServer,
  isAlive,
  pidsIn,
  toolServerScene,
  type ToolServerScene,
} from './tool-server-scene.ts';

type Way = 'pipes' | 'http';

/** What a tool server does wrong, by the mode of the hostile server, and the expected result. */
export interface ServerTrouble {
  readonly mode: string;
  /** The transports to test. Default: both. */
  readonly ways?: readonly Way[];
  /** The error of its approval. Absent: it is approved. */
  readonly refused?: RegExp;
  /** The result of its tool, as `status: output`. Absent: it is not called. */
  readonly call?: RegExp;
  /** Cancels the call after this time. */
  readonly cancelMs?: number;
  /** How many of its tools are offered at the end: after the call, or after the approval if there is no call. */
  readonly offered?: number;
  /** What the server was told about a task by the end. */
  readonly told?: RegExp;
}

const said = /^ok: You said hi$/u;
const away = /^unknown: The server went away before it answered/u;
const tooMany = /^unknown: .*more messages than a server needs/u;
const unusable = /^The tool server made could not be used: /u;
const pipes = ['pipes'] as const;

export const serverTroubles: readonly ServerTrouble[] = [
  // Words and definitions.
  { mode: 'poison', call: said, offered: 1 },
  { mode: 'changes', call: said, offered: 1 },
  { mode: 'changes-in-call', call: said, offered: 0, ways: pipes },
  { mode: 'many', offered: 2_000 },
  { mode: 'long-words', offered: 70 },
  { mode: 'endless', refused: unusable },
  { mode: 'huge-schema', call: said, offered: 1 },
  { mode: 'deep-schema', call: said, offered: 1 },
  { mode: 'own-schema', call: said, offered: 2 },
  { mode: 'branching-schema', call: said, offered: 2 },
  { mode: 'far-schema', call: said, offered: 2 },
  { mode: 'slow-pattern', call: said, offered: 2 },
  { mode: 'no-schema', call: said, offered: 1 },
  { mode: 'proto', call: said },
  { mode: 'odd-names', call: said, offered: 7 },
  { mode: 'clash', call: said, offered: 3 },
  { mode: 'clash-with-ours', call: said, offered: 5 },
  { mode: 'clash-with-others', call: said, offered: 3 },
  // Results.
  { mode: 'giant', call: /^ok: x+/u },
  { mode: 'giant-100', call: /^unknown: .*sent a message of more than 10 MB/u, ways: pipes },
  { mode: 'giant-100', call: /^(?:unknown|error): .*more than 64 MB/u, ways: ['http'] },
  { mode: 'flood', call: /^unknown: .*sent a message of more than 10 MB/u, ways: pipes },
  { mode: 'flood', call: /^(?:unknown|error): .*more than 64 MB/u, ways: ['http'] },
  { mode: 'deep-result', call: /^(?:ok|error|unknown): /u },
  { mode: 'many-parts', call: /^ok: x\n/u },
  { mode: 'wrong', call: /^ok: \[content of the kind video: not shown\]\n/u },
  { mode: 'noise', call: said },
  { mode: 'stderr-noise', call: said, ways: pipes },
  // The protocol.
  { mode: 'wrong-ids', call: said },
  { mode: 'answers-twice', call: /^ok: the first$/u },
  { mode: 'never-right-id', call: /^cancelled: /u, cancelMs: 500 },
  { mode: 'errors', call: /^(?:error|cancelled|unknown): /u, cancelMs: 2_000 },
  // Ends, and missing ends.
  { mode: 'dies-at-once', refused: unusable },
  { mode: 'dies-in-initialize', refused: unusable },
  { mode: 'dies-in-tools/list', refused: unusable },
  { mode: 'dies-in-tools/call', call: away },
  { mode: 'dies-after', call: said },
  { mode: 'silent-in-initialize', refused: unusable },
  { mode: 'silent-in-tools/list', refused: unusable },
  { mode: 'silent-in-tools/call', call: /^cancelled: /u, cancelMs: 300 },
  { mode: 'ignores-cancel', call: /^cancelled: /u, cancelMs: 100 },
  { mode: 'grandchild', call: said, ways: pipes },
  { mode: 'escapes', call: said, ways: pipes },
  // Tasks.
  { mode: 'task-plain', call: said, told: /^(?!.*tasks\/cancel)/su },
  { mode: 'task-endless', call: /^cancelled: /u, cancelMs: 1_500, told: /tasks\/cancel/u },
  { mode: 'task-slow', call: /^cancelled: /u, cancelMs: 500, told: /tasks\/cancel/u },
  { mode: 'task-late', call: /^cancelled: /u, cancelMs: 200, told: /tasks\/cancel/u },
  { mode: 'task-flood', call: tooMany, ways: pipes },
  // The stream is cut off. The task that was created before is followed like any other.
  { mode: 'task-flood', call: /^(?:cancelled|unknown): /u, cancelMs: 5_000, ways: ['http'] },
  { mode: 'task-foreign', call: /^unknown: .*another task/u },
  { mode: 'task-odd', call: /^unknown: .*nothing that can be read/u },
  { mode: 'task-ttl-0', call: /^unknown: .*keeps one for 0 s/u },
  { mode: 'task-words', call: /^cancelled: /u, cancelMs: 1_500, told: /tasks\/cancel/u },
  { mode: 'task-waits', call: /^cancelled: /u, cancelMs: 1_500, told: /tasks\/cancel/u, ways: pipes },
  { mode: 'task-dies', call: away, ways: pipes },
  { mode: 'task-dies', call: /^unknown: .*cannot be asked/u, ways: ['http'] },
  // Floods of messages.
  { mode: 'asks-ping', call: tooMany },
  { mode: 'asks-roots', call: tooMany },
  { mode: 'asks-forms', call: tooMany },
  { mode: 'asks-model', call: tooMany },
  { mode: 'asks-unknown', call: tooMany },
  { mode: 'list-changes', call: tooMany },
  { mode: 'progress', call: tooMany },
  { mode: 'logs', call: said },
  { mode: 'endless-logs', call: tooMany },
  { mode: 'busy', call: said },
  { mode: 'endless-pings', call: tooMany },
  { mode: 'endless-progress', call: tooMany },
  { mode: 'deaf-pings', call: /^unknown: .*does not read/u, ways: pipes },
];

/** The most time that any operation may take, however busy the machine is. */
const mostMs = 60_000;
const mostGrownBytes = 400 * 1024 * 1024;
/** Results are cut here at the latest. The rest of a long result is of no use. */
const mostCharacters = 4_300_000;
const mostProgress = 500;
const mostQuestions = 10_000;
/** The most polls of a task that a call waits for, whatever its server asks for. */
const mostLooks = 40;

/** Runs one server over one transport. Returns the broken expectations; empty means that all of them hold. */
export async function meetServer(trouble: ServerTrouble, way: Way): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-trouble-'));
  const notes = join(folder, 'notes.txt');
  writeFileSync(notes, '');
  const bridge = way === 'http' ? await bridgeHostile(trouble.mode, notes) : null;
  const scene = toolServerScene(trouble.mode, {
    definition:
      bridge === null ? program(trouble.mode, notes) : serverDefinitionSchema.parse({ kind: 'http', url: bridge.url }),
    others: { fine: program('plain', notes) },
  });
  const memory = watchMemory();
  const wrong: string[] = [];
  try {
    const late = wait(mostMs, [`it took more than ${mostMs / 1000} s`], { ref: false });
    wrong.push(...(await Promise.race([play(scene, trouble, () => readFileSync(notes, 'utf8')), late])));
  } catch (error) {
    wrong.push(`it threw: ${messageOf(error)}`);
  }
  const grown = memory.end();
  if (grown > mostGrownBytes) wrong.push(`it took ${Math.round(grown / 1024 / 1024)} MB`);
  await scene.end();
  await bridge?.close();
  if (!(await isGone(pidsIn(readFileSync(notes, 'utf8'))))) wrong.push('processes are left');
  rmSync(folder, { recursive: true, force: true });
  return wrong;
}

function program(mode: string, notes: string): ServerDefinition {
  const args = [hostileServer, mode, notes];
  return serverDefinitionSchema.parse({ kind: 'stdio', command: process.execPath, args, where: 'host' });
}

async function play(scene: ToolServerScene, trouble: ServerTrouble, notes: () => string): Promise<readonly string[]> {
  const wrong: string[] = [];
  if ((await scene.tools.offered()).length > 0 || notes() !== '') wrong.push('it runs before a yes');
  const refused = await approveAll(scene).then(() => null, messageOf);
  const { refused: expected, call, offered } = trouble;
  if (refused !== null ? expected?.test(refused) !== true : expected !== undefined)
    wrong.push(`its approval: ${String(refused).slice(0, 300)}`);
  if (notes().includes('call')) wrong.push('it was called before its tools were approved');
  await approveAll(scene, 'fine');
  if (call !== undefined) wrong.push(...(await callIt(scene, trouble, call)));
  if (trouble.told?.test(notes()) === false) wrong.push('it was not told what became of its task');
  if (notes().split('tasks/get').length - 1 > mostLooks) wrong.push('it was asked too often for a task');
  const count = async (): Promise<number> =>
    (await scene.tools.offered()).filter(({ server }) => server === 'made').length;
  // A changed list is read again a moment later.
  for (let left = 50; offered !== undefined && left > 0 && (await count()) !== offered; left -= 1) await wait(100);
  if (offered !== undefined && (await count()) !== offered) wrong.push(`${await count()} of its tools are offered`);
  wrong.push(...(await fitsPrompt(scene)));
  // Other servers keep working.
  const [fine] = (await scene.tools.offered()).filter(({ server }) => server === 'fine');
  const result = fine && (await scene.tools.call(fine, { text: 'hi' }, quiet));
  if (result?.output !== 'You said hi') wrong.push('another server does not answer any more');
  return wrong;
}

const quiet: ConnectedCallWays = { signal: new AbortController().signal, onProgress: () => undefined };

async function callIt(scene: ToolServerScene, { cancelMs }: ServerTrouble, call: RegExp): Promise<readonly string[]> {
  const spec = (await scene.tools.offered()).find(({ server, tool }) => server === 'made' && tool === 'say');
  if (spec === undefined) return ['its tool is not offered'];
  const stop = new AbortController();
  const timer = cancelMs === undefined ? undefined : setTimeout(() => stop.abort(), cancelMs);
  let progress = 0;
  let questions = 0;
  const door = {
    form: async () => ({ action: (questions += 1) > 0 ? ('cancel' as const) : ('decline' as const) }),
    link: async () => ((questions += 1) > 0 ? ('cancel' as const) : ('decline' as const)),
    model: async () => ({ type: 'refused' as const, why: `question ${(questions += 1)}` }),
  };
  const how = { signal: stop.signal, onProgress: () => void (progress += 1), door };
  const { status, output } = await scene.tools.call(spec, { text: 'hi' }, how);
  clearTimeout(timer);
  const wrong: string[] = [];
  if (!call.test(`${status}: ${output}`)) wrong.push(`its call: ${status}: ${output.slice(0, 300)}`);
  if (output.length > mostCharacters) wrong.push(`a result of ${output.length} characters`);
  if (progress > mostProgress) wrong.push(`${progress} words of progress`);
  if (questions > mostQuestions) wrong.push(`${questions} questions`);
  // The next call ends, too, whatever its result.
  const next = (await scene.tools.offered()).find(({ server, tool }) => server === 'made' && tool === 'say');
  if (next !== undefined) {
    const again = new AbortController();
    const later = setTimeout(() => again.abort(), 3_000);
    await scene.tools.call(next, { text: 'hi' }, { ...quiet, signal: again.signal });
    clearTimeout(later);
  }
  return wrong;
}

/** Every offered tool can be found and described to a model, under a unique name that every service accepts. */
async function fitsPrompt(scene: ToolServerScene): Promise<readonly string[]> {
  const specs = await scene.tools.offered();
  const wrong: string[] = [];
  if (new Set(specs.map(({ name }) => name)).size !== specs.length) wrong.push('two tools have one name');
  const odd = specs.find(({ name }) => !/^[a-z][\w-]{0,63}$/iu.test(name));
  if (odd !== undefined) wrong.push(`a name that is none: ${JSON.stringify(odd.name)}`);
  const tools = specs.map((spec) => createConnectedTool(spec, null));
  if (tools.some(({ access }) => access !== 'network')) wrong.push('a tool needs no yes');
  for (const { input } of tools) if (isRawInput(input)) input.check({ text: 'a'.repeat(40) });
  toolsBytes(tools.slice(0, 100).map((tool) => toolSpec(tool, 'short', true)));
  const [find] = createFindTools(specs);
  await find?.run({ query: 'says a text' }, { signal: quiet.signal } as never);
  return wrong;
}

function watchMemory(): { readonly end: () => number } {
  const used = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, used())), 20);
  return {
    end: () => {
      clearInterval(timer);
      return Math.max(most, used()) - before;
    },
  };
}

async function isGone(pids: readonly number[]): Promise<boolean> {
  for (let left = 200; left > 0 && pids.some(isAlive); left -= 1) await wait(50);
  return !pids.some(isAlive);
}
