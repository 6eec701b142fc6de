import { Composio } from '@composio/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composioDefinitionSchema } from '../../src/shared/tools/composio.ts';
import { sessionBody } from '../../src/main/tools/composio/composio-session.ts';
import type { FakeComposio } from '../fakes/composio-server.ts';
import { startFakeComposio } from '../fakes/composio-server.ts';
import { appTools, manageTool, multiTool, schemasTool, searchTool, workbenchTools } from '../fakes/composio-tools.ts';

/**
 * Drives the fake Composio with Composio's own client, so the tests hold for what that client sends and accepts.
 * Catches a fake that answers what the service never would, and a request of Dewpoint's that the client would not make.
 */
let fake: FakeComposio;
let client: Composio;
const away: string[] = [];
const realFetch = globalThis.fetch;

beforeAll(async () => {
  fake = await startFakeComposio();
  // Requests to other hosts are recorded and not sent.
  globalThis.fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : String(input));
    if (origin === fake.url) return realFetch(input, init);
    away.push(origin);
    throw new TypeError('fetch failed');
  };
  client = new Composio({ apiKey: fake.key, baseURL: fake.url, allowTracking: false, disableVersionCheck: true });
});
afterAll(async () => {
  globalThis.fetch = realFetch;
  await fake.close();
});

const slugs = (tools: readonly { readonly slug: string }[]): readonly string[] => tools.map(({ slug }) => slug).sort();

/** Removes fields whose value means the same as their absence. */
function meant(body: Readonly<Record<string, unknown>> | undefined): unknown {
  const { auth_configs: _auth, connected_accounts: _accounts, ...rest } = body ?? {};
  return rest;
}

describe('the client of Composio with the fake service', () => {
  it('opens a session like Dewpoint does, lists tools page by page, and finds the session again', async () => {
    const session = await client.sessions.create('ada', {
      toolkits: ['github'],
      manageConnections: { enable: true, waitForConnections: false },
      sandbox: { enable: false },
    });
    const definition = composioDefinitionSchema.parse({ kind: 'composio', user: 'ada', toolkits: ['github'] });
    const ours = JSON.parse(JSON.stringify(sessionBody(definition)));
    // The only setting that the client cannot express: no model removes an account.
    expect(ours.manage_connections.enable_connection_removal).toBe(false);
    delete ours.manage_connections.enable_connection_removal;
    expect(meant(fake.requests.at(-1)?.body)).toEqual(ours);
    const listed = await client.tools.getRawToolRouterSessionTools(session.sessionId);
    expect(slugs(listed)).toEqual(slugs([searchTool, schemasTool, multiTool, manageTool]));
    expect(listed.find(({ slug }) => slug === multiTool.slug)?.inputParameters).toEqual(multiTool.input);
    expect((await client.sessions.use(session.sessionId, { mcp: true })).mcp).toMatchObject({
      url: `${fake.url}/tool_router/${session.sessionId}/mcp`,
      headers: { 'x-api-key': fake.key },
    });
  });

  it('lists direct tools by the same request, and the workbench when it is on', async () => {
    await client.sessions.create('ada', { toolkits: ['github'], sessionPreset: 'direct_tools' });
    const asked = fake.requests.at(-1)?.body;
    const definition = composioDefinitionSchema.parse({
      kind: 'composio',
      user: 'ada',
      toolkits: ['github'],
      directTools: true,
    });
    const { manage_connections: _manage, ...ours } = JSON.parse(JSON.stringify(sessionBody(definition)));
    expect(asked).toMatchObject({ ...ours, manage_connections: { enable: false } });
    const direct = await client.tools.getRawToolRouterSessionTools([...fake.sessions.keys()].at(-1) ?? '');
    expect(slugs(direct)).toEqual(slugs(appTools.filter(({ toolkit }) => toolkit === 'github')));
    const bench = await client.sessions.create('ada', { sandbox: { enable: true } });
    const listed = await client.tools.getRawToolRouterSessionTools(bench.sessionId);
    expect(slugs(listed)).toEqual(slugs([searchTool, schemasTool, multiTool, manageTool, ...workbenchTools]));
  });

  it('searches for a tool, connects an account by a link, waits for it, and runs the tool', async () => {
    const session = await client.sessions.create('bob', {});
    const found = await session.search({ query: 'create an issue' });
    expect(found.results[0]?.primaryToolSlugs).toContain('GITHUB_CREATE_AN_ISSUE');
    expect(found.toolkitConnectionStatuses.find(({ toolkit }) => toolkit === 'github')?.hasActiveConnection).toBe(
      false,
    );
    const issue = { owner: 'o', repo: 'r', title: 'Sums' };
    const refused = await session.execute('GITHUB_CREATE_AN_ISSUE', issue);
    expect(refused.error).toContain('No connected account');
    const request = await session.authorize('github');
    expect(request.redirectUrl).toMatch(/^https:\/\/connect\.example\.org\//);
    fake.signIn('github');
    expect((await request.waitForConnection(5_000)).status).toBe('ACTIVE');
    const { items } = await session.toolkits({ toolkits: ['github', 'slack'] });
    expect(fake.requests.at(-1)?.path).toContain('toolkits=');
    expect(items.map(({ slug, connection }) => [slug, connection?.isActive])).toEqual([
      ['github', true],
      ['slack', false],
    ]);
    expect((await session.toolkits({ isConnected: true })).items.map(({ slug }) => slug)).toContain('github');
    const done = await session.execute('GITHUB_CREATE_AN_ISSUE', issue);
    expect(done).toMatchObject({ error: null, data: { html_url: 'https://github.example.org/o/r/issues/1' } });
    const multi = { tools: [{ tool_slug: 'SLACK_SEND_MESSAGE', arguments: {} }], sync_response_to_workbench: false };
    expect(await session.execute(multiTool.slug, multi)).toMatchObject({ error: '1 out of 1 tools failed' });
  });

  it('reads the errors of the fake as errors of the service', async () => {
    const wrong = new Composio({
      apiKey: 'ak_other',
      baseURL: fake.url,
      allowTracking: false,
      disableVersionCheck: true,
    });
    await expect(wrong.sessions.create('ada', {})).rejects.toMatchObject({ status: 401 });
    await expect(client.sessions.use('trs_none')).rejects.toMatchObject({ status: 404 });
  });

  it('sends nothing elsewhere when usage data and version checks are off', () => {
    expect(away).toEqual([]);
  });
});
