import { createToolCommands } from '../../src/main/tools/commands.ts';
import type { ConnectedTools, ToolSource } from '../../src/main/tools/connected/connected-tool.ts';
import { joinToolSources } from '../../src/main/tools/connected/connected-tool.ts';
import { createToolPins } from '../../src/main/tools/servers/tool-pins.ts';
import { createToolServers } from '../../src/main/tools/servers/tool-servers.ts';
import type { ToolServerSettings } from '../../src/shared/tools/server-definition.ts';
import { serverDefinitionSchema } from '../../src/shared/tools/server-definition.ts';
import type { FakeComposio } from './composio-server.ts';
import { realSignIns, tableSecrets } from './sign-in-kit.ts';

/** Dewpoint's tool servers in a home that has one Composio server, `work`: added, but not approved. */
export interface ComposioHome {
  readonly fake: FakeComposio;
  readonly tools: ReturnType<typeof createToolServers> & ConnectedTools;
  readonly commands: ReturnType<typeof createToolCommands>;
  readonly settings: Record<string, ToolServerSettings>;
}

const { signal } = new AbortController();

const noTools: ToolSource = {
  offered: async () => [],
  call: async () => ({ status: 'error', output: 'There are no tools of files here.' }),
};

export function composioSettings(fake: FakeComposio, more: object = {}): Record<string, ToolServerSettings> {
  const definition = serverDefinitionSchema.parse({ kind: 'composio', url: fake.url, user: 'ada', ...more });
  return { work: { definition, approved: null, isOn: true, off: [] } };
}

export function openComposioHome(
  fake: FakeComposio,
  folder: string,
  settings: Record<string, ToolServerSettings>,
): ComposioHome {
  const pins = createToolPins(folder);
  const signIns = realSignIns(folder, tableSecrets());
  const running = createToolServers({
    servers: () => settings,
    projects: () => ({}),
    pins,
    signIns,
    folder,
    secret: async () => fake.key,
    fetch,
    start: () => Promise.reject(new Error('Nothing is started for Composio.')),
    version: '1',
    now: () => 1,
    connectMs: 2_000,
    pollMs: 5,
  });
  const commands = createToolCommands({
    servers: () => settings,
    projects: () => ({}),
    saveProject: async () => undefined,
    save: async (name, one) => {
      if (one === null) delete settings[name];
      else settings[name] = one;
    },
    running,
    signIns,
    pins,
    keepSecret: async () => undefined,
    dropSecret: async () => undefined,
    hideSecrets: (text) => text,
    now: () => 1,
  });
  return { fake, tools: { ...running, ...joinToolSources(running.forProject(null), noTools) }, commands, settings };
}

/** Gives both approvals: of the definition, then of the tools as the session lists them. */
export async function approveComposio({ commands }: ComposioHome): Promise<void> {
  const [shown] = await commands.list({ input: undefined, signal });
  const { tools } = await commands.approve({ input: { name: 'work', sha256: shown?.sha256 ?? '' }, signal });
  const chosen = tools.map(({ tool, sha256 }) => ({ tool, sha256 }));
  await commands.approveTools({ input: { name: 'work', tools: chosen }, signal });
}
