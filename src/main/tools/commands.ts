import { readFile, stat } from 'node:fs/promises';
import { createTwoFilesPatch } from 'diff';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ToolReport, ToolServerReport, ToolServerSettings } from '@shared/tools/server-definition.ts';
import { definitionText } from '@shared/tools/server-definition.ts';
import type { Handlers } from '../server/handlers.ts';
import { foreignToolName } from './foreign/foreign-tool.ts';
import { serversIn } from './servers/import-servers.ts';
import type { ToolDefinitionText, ToolPin, ToolPins } from './servers/tool-pins.ts';
import { hashOfTool, textOfTool } from './servers/tool-pins.ts';
import type { ToolServers } from './servers/tool-servers.ts';
import { hashOfServer, isApproved } from './servers/tool-servers.ts';

export interface ToolCommandsOptions {
  readonly servers: () => Readonly<Record<string, ToolServerSettings>>;
  /** Null: it is removed. */
  readonly save: (name: string, server: ToolServerSettings | null) => Promise<void>;
  readonly running: ToolServers;
  readonly pins: ToolPins;
  readonly keepSecret: (server: string, variable: string, value: string) => Promise<void>;
  /** Also of one that was never set. */
  readonly dropSecret: (server: string, variable: string) => Promise<void>;
  readonly now: () => number;
}

const mostFileBytes = 1024 * 1024;

/** Servers of tools, for whoever shows and changes them. A yes is always to a hash of what was shown. */
export function createToolCommands(options: ToolCommandsOptions): Handlers['tools'] {
  const { servers, save, running, pins } = options;
  const find = (name: string): ToolServerSettings => {
    const own = servers();
    const server = Object.hasOwn(own, name) ? own[name] : undefined;
    if (server !== undefined) return server;
    throw new AppError('not-found', `There is no tool server ${name}.`, { hint: 'See: dewpoint tools list' });
  };
  const report = async (name: string): Promise<ToolServerReport> => reportOf(options, name, find(name));
  const add = async (name: string, definition: ToolServerSettings['definition']): Promise<void> => {
    if (Object.hasOwn(servers(), name)) {
      throw new AppError('conflict', `There is a tool server ${name} already. Nothing was changed.`, {
        hint: `Choose another name, or remove it first: dewpoint tools remove ${name}`,
      });
    }
    await save(name, { definition, approved: null, isOn: true, off: [] });
  };
  return {
    list: async () => Promise.all(Object.keys(servers()).map(report)),
    add: async ({ input: { name, definition } }) => {
      await add(name, definition);
      return report(name);
    },
    importFile: async ({ input: { path, where } }) => {
      const found = serversIn(await textOfFile(path), path, where);
      const added: string[] = [];
      const skipped = [...found.skipped];
      for (const { name, definition, secrets } of found.servers) {
        try {
          await add(name, definition);
          added.push(name);
          for (const [variable, value] of Object.entries(secrets)) await options.keepSecret(name, variable, value);
        } catch (error) {
          skipped.push(`${name}: ${messageOf(error)}`);
        }
      }
      return { added, skipped };
    },
    secret: async ({ input: { name, variable, value } }) => {
      const { definition } = find(name);
      const named = definition.kind === 'http' ? definition.headers : definition.env;
      if (!named.includes(variable)) {
        throw new AppError('bad-input', `The tool server ${name} takes no ${variable}. Nothing was kept.`, {
          hint: named.length === 0 ? 'Its definition names none.' : `It takes: ${named.join(', ')}`,
        });
      }
      await options.keepSecret(name, variable, value);
      // What runs has the old value.
      await running.stop(name);
    },
    ...createApprovals(options, find, report),
    set: async ({ input: { name, tool, isOn } }) => {
      const server = find(name);
      const off = server.off.filter((one) => one !== tool);
      if (tool === undefined) await save(name, { ...server, isOn });
      else await save(name, { ...server, off: isOn ? off : [...off, tool] });
      if (tool === undefined && !isOn) await running.stop(name);
      return report(name);
    },
    remove: async ({ input: { name } }) => {
      const { definition } = find(name);
      await running.stop(name);
      await save(name, null);
      await pins.change(name, () => []);
      for (const one of definition.kind === 'http' ? definition.headers : definition.env)
        await options.dropSecret(name, one);
    },
  };
}

/** A yes to what was shown, and a look at what a server lists. */
function createApprovals(
  { running, pins, save, now }: ToolCommandsOptions,
  find: (name: string) => ToolServerSettings,
  report: (name: string) => Promise<ToolServerReport>,
): Pick<Handlers['tools'], 'approve' | 'approveTools' | 'test'> {
  return {
    approve: async ({ input: { name, sha256 }, signal }) => {
      const server = find(name);
      if (hashOfServer(name, server.definition) !== sha256) throw changed(`The tool server ${name}`);
      await save(name, { ...server, approved: sha256 });
      await running.connect(name, signal);
      return report(name);
    },
    approveTools: async ({ input: { name, tools }, signal }) => {
      const live = (await running.connect(name, signal)).tools();
      const chosen = tools.map(({ tool, sha256 }) => {
        const definition = live.find((one) => one.name === tool);
        if (definition === undefined || hashOfTool(definition) !== sha256) throw changed(`The tool ${tool}`);
        return { definition, sha256, approvedAt: now(), lastUsedAt: null };
      });
      await pins.change(name, (before) => withPins(before, chosen));
      return report(name);
    },
    test: async ({ input: { name }, signal }) => {
      find(name);
      await (await running.connect(name, signal)).refresh(signal);
      return report(name);
    },
  };
}

function changed(what: string): AppError {
  return new AppError('conflict', `${what} changed since you looked at it. Nothing was approved.`, {
    hint: 'Look at it again, then approve it.',
  });
}

async function textOfFile(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > mostFileBytes) throw new Error('it is larger than 1 MB');
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new AppError('not-found', `${path} cannot be read: ${messageOf(error)}`);
  }
}

/** One that was approved before stays where it stands among the tools: the beginning of a prompt is kept. */
function withPins(before: readonly ToolPin[], chosen: readonly ToolPin[]): readonly ToolPin[] {
  const named = (name: string, pins: readonly ToolPin[]): ToolPin | undefined =>
    pins.find(({ definition }) => definition.name === name);
  const kept = before.map((pin) => {
    const anew = named(pin.definition.name, chosen);
    return anew === undefined ? pin : { ...anew, approvedAt: pin.approvedAt, lastUsedAt: pin.lastUsedAt };
  });
  return [...kept, ...chosen.filter(({ definition }) => named(definition.name, before) === undefined)];
}

async function reportOf(
  { running, pins }: ToolCommandsOptions,
  name: string,
  server: ToolServerSettings,
): Promise<ToolServerReport> {
  const live = running.running(name);
  const approved = isApproved(name, server);
  const problem = running.problem(name);
  const read = await pins.of(name).then(
    (list) => ({ list, problem: null }),
    (error: unknown) => ({ list: [], problem: messageOf(error) }),
  );
  const { list } = read;
  const listed = live?.tools() ?? [];
  const fresh = listed.filter((tool) => !list.some(({ definition }) => definition.name === tool.name));
  return {
    name,
    definition: server.definition,
    text: definitionText(server.definition),
    sha256: hashOfServer(name, server.definition),
    isApproved: approved,
    isOn: server.isOn,
    state: !approved
      ? 'not-approved'
      : !server.isOn
        ? 'off'
        : live !== null
          ? 'running'
          : problem === null
            ? 'idle'
            : 'failed',
    problem: read.problem ?? problem,
    server: live?.server ?? null,
    tools: [
      ...list.map((pin) => pinnedReport(name, server, { pin, listed: live === null ? null : listed })),
      ...fresh.map((tool) => toolReport(name, server, { tool, state: 'new', lastUsedAt: null, diff: null })),
    ],
  };
}

function pinnedReport(
  name: string,
  server: ToolServerSettings,
  { pin, listed }: { readonly pin: ToolPin; readonly listed: readonly ToolDefinitionText[] | null },
): ToolReport {
  const { definition, lastUsedAt } = pin;
  if (listed === null) return toolReport(name, server, { tool: definition, state: 'ready', lastUsedAt, diff: null });
  const live = listed.find((one) => one.name === definition.name);
  if (live === undefined) return toolReport(name, server, { tool: definition, state: 'gone', lastUsedAt, diff: null });
  if (hashOfTool(live) === pin.sha256)
    return toolReport(name, server, { tool: definition, state: 'ready', lastUsedAt, diff: null });
  const diff = createTwoFilesPatch('approved', 'now', textOfTool(definition), textOfTool(live));
  return toolReport(name, server, { tool: live, state: 'changed', lastUsedAt, diff });
}

interface ShownTool extends Pick<ToolReport, 'state' | 'lastUsedAt' | 'diff'> {
  readonly tool: ToolDefinitionText;
}

/** Code and JSON of the usual kind. */
const bytesPerToken = 3.5;

function toolReport(server: string, { off }: ToolServerSettings, { tool, ...shown }: ShownTool): ToolReport {
  const name = foreignToolName(server, tool.name);
  const { description, inputSchema, annotations = {} } = tool;
  const bytes = Buffer.byteLength(JSON.stringify({ name, description, inputSchema }));
  return {
    ...shown,
    name,
    tool: tool.name,
    description,
    isOn: shown.state === 'ready' && !off.includes(tool.name),
    sha256: hashOfTool(tool),
    tokens: Math.ceil(bytes / bytesPerToken),
    hints: Object.entries(annotations).flatMap(([key, value]) =>
      typeof value === 'boolean' ? [`${key}: ${value}`] : [],
    ),
    text: shown.state === 'new' || shown.state === 'changed' ? textOfTool(tool) : null,
  };
}
