import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createHostPrograms } from '../../src/main/lib/programs/host-programs.ts';
import { createToolCommands } from '../../src/main/tools/commands.ts';
import type { ConnectedTools, ToolSource } from '../../src/main/tools/connected/connected-tool.ts';
import { joinToolSources } from '../../src/main/tools/connected/connected-tool.ts';
import { createHostServers } from '../../src/main/tools/mcp/server-process.ts';
import { createToolPins } from '../../src/main/tools/servers/tool-pins.ts';
import { createToolServers } from '../../src/main/tools/servers/tool-servers.ts';
import type { ProjectTools, ServerDefinition, ToolServerSettings } from '../../src/shared/tools/server-definition.ts';
import { serverDefinitionSchema } from '../../src/shared/tools/server-definition.ts';
import { realSignIns, tableSecrets } from './sign-in-kit.ts';

/** The protocol's reference server, for the revisions before 2026. */
const everything = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
export const hostileServer = resolve('tests/fakes/hostile-tool-server.mjs');

const noTools: ToolSource = {
  offered: async () => [],
  call: async () => ({ status: 'error', output: 'There is none.' }),
};

interface SceneOptions {
  readonly env?: readonly string[];
  /** Replaces the mode's program. It may write its notes where this scene does. */
  readonly definition?: ServerDefinition;
  /** More servers, none of them approved. */
  readonly others?: Readonly<Record<string, ServerDefinition>>;
  readonly connectMs?: number;
  readonly now?: () => number;
}

export interface ToolServerScene {
  readonly tools: Omit<ReturnType<typeof createToolServers>, 'forProject'> &
    ConnectedTools & { readonly forProject: (projectPath: string | null) => ConnectedTools };
  readonly commands: ReturnType<typeof createToolCommands>;
  readonly settings: Record<string, ToolServerSettings>;
  readonly notes: () => string;
  readonly home: string;
  readonly end: () => Promise<void>;
}

/** A home with the hostile server in one mode, added and not approved. Programs are real, behind the real guard. */
export function toolServerScene(mode: string, more: SceneOptions = {}): ToolServerScene {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-tools-'));
  const notes = join(home, 'notes.txt');
  writeFileSync(notes, '');
  const env = { ...process.env, HOSTILE_SECRET_TOKEN: 'swordfish', ASKED_FOR: 'value' };
  const definition = serverDefinitionSchema.parse({
    kind: 'stdio',
    command: process.execPath,
    args: mode === 'reference' ? [everything] : [hostileServer, mode, notes],
    where: 'host',
    ...(more.env === undefined ? {} : { env: more.env }),
  });
  const others = Object.entries(more.others ?? {});
  const settings: Record<string, ToolServerSettings> = {
    made: { definition: more.definition ?? definition, approved: null, isOn: true, off: [] },
    ...Object.fromEntries(
      others.map(([name, one]) => [name, { definition: one, approved: null, isOn: true, off: [] }]),
    ),
  };
  const signIns = realSignIns(home, tableSecrets());
  const pins = createToolPins(join(home, 'tools'));
  const projects: Record<string, ProjectTools> = {};
  const running = createToolServers({
    servers: () => settings,
    projects: () => projects,
    pins,
    signIns,
    folder: join(home, 'tools'),
    secret: async (_server, variable) => new Map(Object.entries(env)).get(variable) ?? null,
    fetch,
    start: createHostServers({
      // The Node of these tests lies in this project. Dewpoint starts nothing from there otherwise.
      programs: { ...createHostPrograms({ home, env }), isOutside: async () => true },
      nodePath: process.execPath,
      guardPath: resolve('src/main/models/engine/server-guard.ts'),
    }),
    version: '1',
    now: more.now ?? (() => 1),
    connectMs: more.connectMs ?? connectMsOf(mode),
  });
  const forProject = (projectPath: string | null) => joinToolSources(running.forProject(projectPath), noTools);
  const tools = { ...running, ...forProject(null), forProject };
  const commands = createToolCommands({
    servers: () => settings,
    projects: () => projects,
    saveProject: async (path, own) => {
      if (own === null) delete projects[path];
      else projects[path] = own;
    },
    save: async (name, one) => {
      if (one === null) delete settings[name];
      else settings[name] = one;
    },
    running: tools,
    signIns,
    pins,
    keepSecret: async () => undefined,
    dropSecret: async () => undefined,
    hideSecrets: (text) => text,
    now: () => 1,
  });
  const end = async (): Promise<void> => {
    await tools.dispose();
    rmSync(home, { recursive: true, force: true });
  };
  return { tools, commands, settings, notes: () => readFileSync(notes, 'utf8'), home, end };
}

const signal = new AbortController().signal;

function connectMsOf(mode: string): number {
  if (mode === 'silent-in-tools/list' || mode === 'silent-in-initialize') return 1_500;
  return mode === 'old-silent' ? 4_000 : 10_000;
}

/** Gives both approvals: to the server as it is, then to the tools that it lists. */
export async function approveAll({ commands }: ToolServerScene, name = 'made'): Promise<void> {
  const shown = (await commands.list({ input: undefined, signal })).find((one) => one.name === name);
  const { tools } = await commands.approve({ input: { name, sha256: shown?.sha256 ?? '' }, signal });
  const approved = tools.map(({ tool, sha256 }) => ({ tool, sha256 }));
  await commands.approveTools({ input: { name, tools: approved }, signal });
}

/**
 * Reads the command line where possible. The number may belong to another program by now, and an ended process has no
 * command line.
 */
export function isAlive(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return words.includes(hostileServer) || words.includes('setInterval(()=>0,1000)');
  } catch {
    return false;
  }
}

/** The process ids of all programs that the hostile server noted. */
export const pidsIn = (notes: string): readonly number[] =>
  [...notes.matchAll(/(?:started|child) (\d+)/g)].map(([, pid]) => Number(pid));
