import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signInToServer, signOutOfServer } from '../../../../src/main/hosts/cli/commands/tools-sign-in.command.ts';
import { refusedCommands } from '../../../../src/main/hosts/web/web-guard.ts';
import { createToolCommands } from '../../../../src/main/tools/commands.ts';
import type { ToolSource } from '../../../../src/main/tools/connected/connected-tool.ts';
import { joinToolSources } from '../../../../src/main/tools/connected/connected-tool.ts';
import { createToolPins } from '../../../../src/main/tools/servers/tool-pins.ts';
import { createToolServers } from '../../../../src/main/tools/servers/tool-servers.ts';
import type { ServerSignIns } from '../../../../src/main/tools/sign-in/server-sign-ins.ts';
import type { SignInProgress, ToolServerSettings } from '../../../../src/shared/tools/server-definition.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { createFakeHandlers } from '../../../fakes/fake-handlers.ts';
import type { OauthWorld } from '../../../fakes/oauth-server.ts';
import { createOauthWorld } from '../../../fakes/oauth-server.ts';
import { browse, realSignIns, signInDefinition, tableSecrets } from '../../../fakes/sign-in-kit.ts';

const noTools: ToolSource = {
  offered: async () => [],
  call: async () => ({ status: 'error', output: 'There is none.' }),
};

const signal = new AbortController().signal;
const quiet = { signal, onProgress: () => undefined };
let home: string;
let world: OauthWorld;
let secrets: ReturnType<typeof tableSecrets>;
let signIns: ServerSignIns;
let running: ReturnType<typeof createToolServers>;
let commands: ReturnType<typeof createToolCommands>;
let settings: Record<string, ToolServerSettings>;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'dewpoint-sign-in-'));
  world = await createOauthWorld();
  secrets = tableSecrets();
  signIns = realSignIns(home, secrets);
  settings = { tracker: { definition: signInDefinition(world.mcpUrl), approved: null, isOn: true, off: [] } };
  const base = {
    servers: () => settings,
    projects: () => ({}),
    pins: createToolPins(join(home, 'tools')),
    signIns,
    now: () => 1,
  };
  running = createToolServers({
    ...base,
    folder: join(home, 'tools'),
    fetch,
    secret: async () => null,
    start: () => Promise.reject(new Error('Nothing is started for an address.')),
    version: '1',
  });
  commands = createToolCommands({
    ...base,
    running,
    save: async (name, server) => {
      if (server === null) delete settings[name];
      else settings[name] = server;
    },
    saveProject: async () => undefined,
    keepSecret: async () => undefined,
    dropSecret: async () => undefined,
    hideSecrets: (text) => text,
  });
});

afterEach(async () => {
  await running.dispose();
  await signIns.dispose();
  await world.close();
  rmSync(home, { recursive: true, force: true });
});

const shown = async () => (await commands.list({ input: undefined, signal }))[0];

/** Approves the server, which then asks for a sign-in. */
async function approve(): Promise<void> {
  const sha256 = (await shown())?.sha256 ?? '';
  await expect(commands.approve({ input: { name: 'tracker', sha256 }, signal })).rejects.toThrow('to sign in');
}

async function signIn(stop = signal): Promise<readonly SignInProgress[]> {
  const seen: SignInProgress[] = [];
  for await (const progress of await commands.signIn({ input: { name: 'tracker' }, signal: stop })) {
    seen.push(progress);
    if (progress.type === 'open') await browse(progress.url);
  }
  return seen;
}

/** Calls a tool, also of a server whose tools were approved during a sign-in. */
async function call(tool: string) {
  const connected = joinToolSources(running.forProject(null), noTools);
  const spec = (await connected.offered()).find((one) => one.tool === tool);
  return spec === undefined ? null : connected.call(spec, {}, quiet);
}

describe('a sign-in by command', () => {
  it('is shown in the state of the server, and gives access to its tools', async () => {
    expect((await shown())?.state).toBe('not-approved');
    // Before the approval, nobody sends the server any request.
    await expect(signIn()).rejects.toThrow('was not approved as it is now');
    expect(world.asked).toEqual([]);
    await approve();
    expect(await shown()).toMatchObject({
      state: 'sign-in',
      problem: 'The tool server tracker needs you to sign in.',
      signIn: { isNeeded: true, isSignedIn: false },
    });
    const [open, done] = await signIn();
    expect(open).toMatchObject({ type: 'open', issuer: world.issuer, scopes: ['read'] });
    expect(done).toMatchObject({ type: 'done', server: { state: 'running', problem: null } });
    expect((await shown())?.tools.map(({ tool }) => tool)).toEqual(['read', 'write']);
    // No secret is in the output.
    expect(JSON.stringify([open, done, await shown()])).not.toMatch(/access-|refresh-|verifier/u);
  });

  it('is needed again after the service ended it, and the agent is told what to do', async () => {
    await approve();
    await signIn();
    const tools = (await shown())?.tools.map(({ tool, sha256 }) => ({ tool, sha256 })) ?? [];
    await commands.approveTools({ input: { name: 'tracker', tools }, signal });
    expect(await call('read')).toEqual({ status: 'ok', output: 'read: done' });
    world.revokeAll('all');
    const before = world.asked.filter((one) => one.includes('/authorize')).length;
    expect(await call('read')).toEqual({
      status: 'error',
      output: expect.stringMatching(/needs you to sign in again.*Run dewpoint tools sign-in tracker/su),
    });
    expect(world.asked.filter((one) => one.includes('/authorize'))).toHaveLength(before);
    await running.stop('tracker');
    expect((await shown())?.state).toBe('sign-in');
    await signIn();
    expect(await call('read')).toEqual({ status: 'ok', output: 'read: done' });
  });

  it('is cancelled with its stream, and can be started again', async () => {
    await approve();
    const stop = new AbortController();
    for await (const { type } of await commands.signIn({ input: { name: 'tracker' }, signal: stop.signal })) {
      expect(type).toBe('open');
      expect((await commands.signInAddress({ input: { name: 'tracker' }, signal })).url).toContain('/authorize?');
      stop.abort();
    }
    expect((await commands.signInAddress({ input: { name: 'tracker' }, signal })).url).toBeNull();
    expect(await signIn()).toHaveLength(2);
  });

  it('is removed with its server', async () => {
    await approve();
    await signIn();
    await commands.remove({ input: { name: 'tracker' }, signal });
    expect(secrets.table.size).toBe(0);
    expect(world.asked).toContain('POST /revoke');
  });

  it('is refused to a browser page', () => {
    expect(refusedCommands(['keys', 'settings', 'terminal'])).toEqual(
      expect.arrayContaining(['tools.signIn', 'tools.signOut', 'tools.finishSignIn', 'host.openSignIn']),
    );
  });
});

describe('the sign-in in the terminal', () => {
  it('prints the address, takes a pasted one, and reports the end', async () => {
    await approve();
    const { context, said } = commandContext(createFakeHandlers({ tools: commands }));
    const keyboard = new PassThrough();
    const ended = signInToServer(context, 'tracker', { keyboard });
    await expect.poll(() => said.err).toContain('Ctrl-C cancels.');
    const url = /http:\/\/\S+\/authorize\?\S+/u.exec(said.err)?.[0] ?? '';
    expect(said.err).toContain(`${world.issuer} signs you in. It asks for: read.`);
    keyboard.write('what?\n');
    await expect.poll(() => said.err).toContain('It still waits.');
    const back = await fetch(url, { redirect: 'manual' });
    keyboard.write(`${back.headers.get('location')}\n`);
    expect(await ended).toBe(0);
    expect(said.err).toContain('You are signed in to tracker.');
    expect(await signOutOfServer(context, 'tracker')).toBe(0);
    expect(await signOutOfServer(context, 'tracker')).toBe(0);
    expect(said.err).toContain(
      'You are signed out of tracker.\nYou are not signed in to tracker. Nothing was changed.',
    );
  });
});
