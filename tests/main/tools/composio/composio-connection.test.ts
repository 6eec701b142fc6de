import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectedTools } from '../../../../src/main/tools/connected/connected-tool.ts';
import { serverDefinitionSchema } from '../../../../src/shared/tools/server-definition.ts';
import type { ComposioHome } from '../../../fakes/composio-home.ts';
import { approveComposio, composioSettings, openComposioHome } from '../../../fakes/composio-home.ts';
import { startFakeComposio } from '../../../fakes/composio-server.ts';
import { manageTool, multiTool, schemasTool, searchTool, workbenchTools } from '../../../fakes/composio-tools.ts';

const signal = new AbortController().signal;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Scene extends ComposioHome {
  /** Starts Dewpoint again with the same home. */
  readonly again: () => Scene;
}

/** A home with one Composio server that is added but not approved. */
async function scene(more: object = {}): Promise<Scene> {
  const fake = await startFakeComposio();
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-composio-'));
  ends.push(async () => {
    await fake.close();
    rmSync(home, { recursive: true, force: true });
  });
  const settings = composioSettings(fake, more);
  const open = (): Scene => {
    const one = openComposioHome(fake, home, settings);
    ends.unshift(() => one.tools.dispose());
    return { ...one, again: open };
  };
  return open();
}

async function approved(more: object = {}): Promise<Scene> {
  const one = await scene(more);
  await approveComposio(one);
  return one;
}

type How = Parameters<ConnectedTools['call']>[2];

async function callIn(
  { tools }: Scene,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  how: Partial<How> = {},
) {
  const spec = (await tools.offered()).find((one) => one.tool === tool);
  if (spec === undefined) throw new Error(`${tool} is not offered.`);
  return tools.call(spec, input, { signal, onProgress: () => undefined, ...how });
}

const issue = (more: object = {}) => ({
  tools: [{ tool_slug: 'GITHUB_CREATE_AN_ISSUE', arguments: { owner: 'o', repo: 'r', title: 'Sums are wrong' } }],
  sync_response_to_workbench: false,
  ...more,
});

describe('a Composio server', () => {
  it('sends nothing before approval, and then makes a session without the workbench', async () => {
    const one = await scene({ toolkits: ['github'] });
    expect(await one.tools.offered()).toEqual([]);
    await expect(one.commands.test({ input: { name: 'work' }, signal })).rejects.toThrow('not approved');
    expect(one.fake.requests).toEqual([]);
    const [shown] = await one.commands.list({ input: undefined, signal });
    expect(shown?.text).toBe(`Composio at ${one.fake.url} for the user "ada": github`);
    const listed = await one.commands.approve({ input: { name: 'work', sha256: shown?.sha256 ?? '' }, signal });
    expect(one.fake.requests[0]?.body).toEqual({
      user_id: 'ada',
      toolkits: { enable: ['github'] },
      manage_connections: { enable: true, enable_wait_for_connections: false, enable_connection_removal: false },
      workbench: { enable: false },
    });
    expect(listed.tools.map(({ tool, state }) => [tool, state])).toEqual(
      [searchTool, schemasTool, multiTool, manageTool].map(({ slug }) => [slug, 'new']),
    );
  });

  it.each(['native', 'mcp'] as const)("lists the session's six tools when the workbench is on (%s)", async (mode) => {
    const one = await approved({ mode, workbench: true });
    const offered = await one.tools.offered();
    const all = [searchTool, schemasTool, multiTool, manageTool, ...workbenchTools];
    expect(offered.map(({ tool }) => tool).sort()).toEqual(all.map(({ slug }) => slug).sort());
    const multi = offered.find(({ tool }) => tool === multiTool.slug);
    expect(multi).toMatchObject({ inputSchema: multiTool.input, isRouter: true, leaves: true, readsFiles: true });
  });

  it.each(['native', 'mcp'] as const)('creates an issue and returns its link (%s)', async (mode) => {
    const one = await approved({ mode });
    one.fake.connect('ada', 'github');
    const result = await callIn(one, multiTool.slug, issue());
    expect(result).toMatchObject({ status: 'ok', output: expect.stringContaining('/o/r/issues/1') });
    expect(one.fake.issues).toEqual([{ title: 'Sums are wrong', user: 'ada' }]);
    if (mode === 'native') expect(result.data).toEqual({ log: expect.stringMatching(/^log_/) });
    const answer = await callIn(one, multiTool.slug, { tools: [], sync_response_to_workbench: false });
    expect(answer.status).toBe('ok');
  });

  it('lists the real tools of its toolkits when that is chosen', async () => {
    const one = await approved({ directTools: true, toolkits: ['github'] });
    const offered = await one.tools.offered();
    expect(offered.map(({ tool }) => tool)).toEqual(['GITHUB_CREATE_AN_ISSUE', 'GITHUB_DELETE_A_REPOSITORY']);
    one.fake.connect('ada', 'github');
    const result = await callIn(one, 'GITHUB_CREATE_AN_ISSUE', { owner: 'o', repo: 'r', title: 'x' });
    expect(result.output).toContain('/o/r/issues/1');
    expect(serverDefinitionSchema.safeParse({ kind: 'composio', directTools: true }).success).toBe(false);
  });

  it('keeps its session over a restart, and makes a new one when it has ended', async () => {
    const one = await approved();
    const next = one.again();
    await next.commands.test({ input: { name: 'work' }, signal });
    expect(one.fake.sessions.size).toBe(1);
    one.fake.sessions.clear();
    const third = one.again();
    await third.commands.test({ input: { name: 'work' }, signal });
    expect([...one.fake.sessions.keys()]).toHaveLength(1);
    const made = one.fake.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/session'));
    expect(made).toHaveLength(2);
  });

  it('never sends its key to another address', async () => {
    const one = await scene({ mode: 'mcp' });
    one.fake.mcpUrl = 'https://mcp.elsewhere.example.org/mcp';
    const [shown] = await one.commands.list({ input: undefined, signal });
    await expect(
      one.commands.approve({ input: { name: 'work', sha256: shown?.sha256 ?? '' }, signal }),
    ).rejects.toThrow('It got no key');
    const redirected = await scene();
    redirected.fake.troubles.push({
      step: 'create',
      trouble: { status: 307, body: {}, headers: { location: `${one.fake.url}/api/v3.1/tool_router/session` } },
    });
    const before = one.fake.requests.length;
    const [other] = await redirected.commands.list({ input: undefined, signal });
    await expect(
      redirected.commands.approve({ input: { name: 'work', sha256: other?.sha256 ?? '' }, signal }),
    ).rejects.toThrow('Composio made no session');
    expect(one.fake.requests).toHaveLength(before);
    expect(serverDefinitionSchema.safeParse({ kind: 'composio', url: 'http://composio.example.org' }).success).toBe(
      false,
    );
  });
});

describe('an error at Composio', () => {
  const busy = { status: 429, body: { message: 'Rate limit exceeded' }, headers: { 'retry-after': '17' } };

  it('is shown in its own words, with its advice and the number of the request', async () => {
    const one = await scene();
    const wrong = {
      status: 401,
      body: { error: { message: 'Invalid API key', request_id: 'req_9', suggested_fix: 'Make one.' } },
    };
    one.fake.troubles.push({ step: 'create', trouble: wrong });
    const [shown] = await one.commands.list({ input: undefined, signal });
    await expect(
      one.commands.approve({ input: { name: 'work', sha256: shown?.sha256 ?? '' }, signal }),
    ).rejects.toThrow('Composio answered 401: Invalid API key Make one. Request req_9.');
  });

  it('is told where no data comes with it', async () => {
    const one = await approved();
    one.fake.connect('ada', 'github');
    one.fake.troubles.push({ step: 'execute', trouble: { status: 200, body: { error: 'No such tool' } } });
    const result = await callIn(one, multiTool.slug, issue());
    expect(result).toMatchObject({ status: 'error', output: 'Composio says: No such tool' });
  });

  it('about a rate limit says that nothing was done and when to try again', async () => {
    const one = await approved();
    one.fake.connect('ada', 'github');
    one.fake.troubles.push({ step: 'execute', trouble: busy });
    expect(await callIn(one, multiTool.slug, issue())).toEqual({
      status: 'error',
      output: 'Composio answered 429: Rate limit exceeded It can be asked again in 17 s. It did nothing.',
    });
    expect(one.fake.issues).toEqual([]);
    expect(await callIn(one, multiTool.slug, issue())).toMatchObject({ status: 'ok' });
  });

  it('in the middle of a call leaves the outcome unknown, and the call is not repeated', async () => {
    const one = await approved();
    one.fake.connect('ada', 'github');
    const before = one.fake.requests.length;
    one.fake.troubles.push({ step: 'execute', trouble: 'breaks' });
    expect(await callIn(one, multiTool.slug, issue())).toMatchObject({
      status: 'unknown',
      output: expect.stringContaining('It may have done some of it'),
    });
    one.fake.troubles.push({ step: 'execute', trouble: { status: 502, body: 'Bad gateway' } });
    expect((await callIn(one, multiTool.slug, issue())).status).toBe('unknown');
    expect(one.fake.requests).toHaveLength(before + 2);
  });

  it('because it cannot be reached says that nothing was sent', async () => {
    const one = await approved();
    await one.fake.close();
    // A kept-alive connection may break in the middle. Then the outcome is unknown.
    expect(['unknown', 'error']).toContain((await callIn(one, multiTool.slug, issue())).status);
    expect(await callIn(one, multiTool.slug, issue())).toMatchObject({
      status: 'error',
      output: expect.stringContaining('nothing was sent'),
    });
  });

  it('does not delay a cancel', async () => {
    const one = await approved();
    one.fake.troubles.push({ step: 'execute', trouble: 'hangs' });
    const stop = new AbortController();
    const called = callIn(one, multiTool.slug, issue(), { signal: stop.signal });
    await expect.poll(() => one.fake.requests.at(-1)?.path).toContain('/execute');
    stop.abort();
    expect((await called).status).toBe('cancelled');
  });
});

describe('a call with inner calls', () => {
  it('is refused when an inner tool is off, not approved or nested deeper', async () => {
    const one = await approved();
    one.fake.connect('ada', 'github');
    const { work } = one.settings;
    if (work === undefined) throw new Error('no server');
    one.settings.work = { ...work, off: ['GITHUB_DELETE_A_REPOSITORY', manageTool.slug] };
    const before = one.fake.requests.length;
    const remove = { tool_slug: 'github_delete_a_repository', arguments: { repo: 'r' } };
    const carried = [
      { tools: [...issue().tools, remove] },
      { tools: JSON.stringify([remove]) },
      { tools: [{ tool_slug: multiTool.slug, arguments: { tools: [remove] } }] },
      { tools: [{ tool_slug: manageTool.slug, arguments: { toolkits: ['slack'] } }] },
    ];
    for (const input of carried) {
      const result = await callIn(one, multiTool.slug, { ...issue(), ...input });
      expect(result).toMatchObject({ status: 'refused', output: expect.stringContaining('Nothing was sent') });
    }
    expect(one.fake.requests).toHaveLength(before);
  });
});

describe('an account at Composio', () => {
  it('is listed, and connected through a link that the call waits for', async () => {
    const one = await approved({ toolkits: ['github', 'slack', 'hackernews'] });
    one.fake.connect('ada', 'slack');
    const states = await one.commands.connections({ input: { name: 'work' }, signal });
    expect(states.map(({ toolkit, state }) => [toolkit, state])).toEqual([
      ['github', 'not-connected'],
      ['slack', 'connected'],
      ['hackernews', 'none-needed'],
    ]);
    const { link } = await one.commands.connect({ input: { name: 'work', toolkit: 'github' }, signal });
    expect(link).toMatch(/^https:\/\/connect\.example\.org\//);
    const waiting = one.commands.connected({ input: { name: 'work', toolkit: 'github' }, signal });
    one.fake.signIn('github');
    await waiting;
    expect(await one.commands.connect({ input: { name: 'work', toolkit: 'github' }, signal })).toEqual({ link: null });
    await expect(one.commands.connect({ input: { name: 'work', toolkit: 'gmail' }, signal })).rejects.toThrow(
      'Composio knows no toolkit gmail',
    );
  });

  it('that fails or is cancelled ends the wait', async () => {
    const one = await approved();
    await one.commands.connect({ input: { name: 'work', toolkit: 'github' }, signal });
    const waiting = one.commands.connected({ input: { name: 'work', toolkit: 'github' }, signal });
    const polls = () => one.fake.requests.filter(({ path }) => path.includes('/toolkits?')).length;
    const before = polls();
    await expect.poll(polls).toBeGreaterThan(before + 1);
    one.fake.signIn('github', 'FAILED');
    await expect(waiting).rejects.toThrow('Composio says FAILED');
    const stop = new AbortController();
    await one.commands.connect({ input: { name: 'work', toolkit: 'github' }, signal });
    const cancelled = one.commands.connected({ input: { name: 'work', toolkit: 'github' }, signal: stop.signal });
    stop.abort();
    await expect(cancelled).rejects.toThrow();
  });

  it.each(['native', 'mcp'] as const)('is asked for during a call, which then goes on (%s)', async (mode) => {
    const one = await approved({ mode });
    const asked: unknown[] = [];
    const input = { toolkits: ['github'] };
    const connects: How['askToConnect'] = async (link, settled) => {
      asked.push(link);
      one.fake.signIn('github');
      return (await settled) ?? 'deny';
    };
    const result = await callIn(one, manageTool.slug, input, { askToConnect: connects });
    expect(asked).toEqual([
      { server: 'work', toolkit: 'github', url: expect.stringMatching(/^https:\/\/connect\.example\.org\//) },
    ]);
    expect(result).toMatchObject({ status: 'ok', output: expect.stringMatching(/github: connected\.$/) });
    expect(await callIn(one, multiTool.slug, issue())).toMatchObject({ status: 'ok' });
  });

  it('that a person does not connect is reported with the way to do it later', async () => {
    const one = await approved();
    const input = { toolkits: ['github'] };
    const later = 'dewpoint tools connect work github';
    const denied = await callIn(one, manageTool.slug, input, { askToConnect: async () => 'deny' });
    expect(denied.output).toContain(`github: it was not connected. It can be done later by: ${later}`);
    const alone = await callIn(one, manageTool.slug, input);
    expect(alone.output).toContain(`nobody could be asked to connect it. It can be done later by: ${later}`);
  });

  it('is named before the work begins, or said to be unknown', async () => {
    const one = await approved({ toolkits: ['github', 'slack'] });
    one.fake.connect('ada', 'slack');
    expect(await one.tools.told?.(signal)).toEqual([
      'work, for the user "ada": connected are slack. Not connected: github.',
    ]);
    await one.fake.close();
    const [told] = (await one.tools.told?.(signal)) ?? [];
    expect(told).toContain('work: what is connected is not known.');
  });
});

it('the program names no tool of Composio', () => {
  const source = join(import.meta.dirname, '../../../../src');
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  const named = paths.filter((path) => /COMPOSIO_|GITHUB_CREATE/.test(readFileSync(join(source, path), 'utf8')));
  expect(named).toEqual([]);
});
