import { AppError, messageOf } from '@shared/errors.ts';
import { isMissing } from '../lib/files/json-file.ts';
import type {
  ServerImport,
  SignInProgress,
  ToolServerReport,
  ToolServerSettings,
} from '@shared/tools/server-definition.ts';
import { definitionText, secretNames } from '@shared/tools/server-definition.ts';
import { progressStream } from '../lib/async/push-queue.ts';
import type { Handlers } from '../server/handlers.ts';
import type { ServiceAccounts } from './composio/composio-accounts.ts';
import type { FoundServer, FoundServers } from './servers/import-servers.ts';
import { maskedLine, serversIn, serversInText } from './servers/import-servers.ts';
import { ownOf, saveOwn, saveWord, type ProjectWords } from './servers/project-words.ts';
import type { ToolPin, ToolPins } from './servers/tool-pins.ts';
import { hashOfTool } from './servers/tool-pins.ts';
import type { ToolServers } from './servers/tool-servers.ts';
import type { ServerSignIns } from './sign-in/server-sign-ins.ts';
import { hashOfServer, isApproved } from './servers/server-switches.ts';
import { reportOf, takenSecrets } from './servers/server-report.ts';
import { changeServer } from './servers/change-server.ts';
import { knownDefinition, knownServers } from './servers/known-servers.ts';
import { readFile, stat } from '../lib/files/drive-calls.ts';

export interface ToolCommandsOptions extends ProjectWords {
  readonly servers: () => Readonly<Record<string, ToolServerSettings>>;
  /** Null removes the server. */
  readonly save: (name: string, server: ToolServerSettings | null) => Promise<void>;
  readonly running: Pick<ToolServers, 'connect' | 'running' | 'problem' | 'reach' | 'refused' | 'stop' | 'forget'>;
  readonly signIns: Pick<ServerSignIns, 'start' | 'deliver' | 'waiting' | 'signOut' | 'report'>;
  readonly pins: ToolPins;
  readonly keepSecret: (server: string, variable: string, value: string) => Promise<void>;
  /** Does nothing for a secret that was never set. */
  readonly dropSecret: (server: string, variable: string) => Promise<void>;
  /** Masks what looks like a secret. */
  readonly hideSecrets: (text: string) => string;
  readonly now: () => number;
}

const mostFileBytes = 1024 * 1024;

/** Handlers that show and change tool servers. Each approval is for the hash of what the user was shown. */
export function createToolCommands(options: ToolCommandsOptions): Handlers['tools'] {
  const { servers, save, running } = options;
  const find = (name: string): ToolServerSettings => {
    const own = servers();
    const server = Object.hasOwn(own, name) ? own[name] : undefined;
    if (server !== undefined) return server;
    throw new AppError('not-found', `There is no tool server ${name}.`, { hint: 'See: dewpoint tools list' });
  };
  const report = async (name: string, projectPath?: string): Promise<ToolServerReport> =>
    reportOf(options, { name, server: find(name), own: ownOf(options, projectPath) });
  const add = async (name: string, definition: ToolServerSettings['definition']): Promise<void> => {
    if (Object.hasOwn(servers(), name)) {
      throw new AppError('conflict', `There is a tool server ${name} already. Nothing was changed.`, {
        hint: `Choose another name, or remove it first: dewpoint tools remove ${name}`,
      });
    }
    await save(name, { definition, approved: null, isOn: true, off: [] });
  };
  return {
    list: async ({ input }) => Promise.all(Object.keys(servers()).map((name) => report(name, input?.projectPath))),
    add: async ({ input: { name, definition } }) => {
      await add(name, definition);
      return report(name);
    },
    exposed: async ({ input: { definition } }) => maskedLine(definition, options.hideSecrets),
    known: async () => knownServers(),
    addKnown: async ({ input: { name, folder } }) => {
      const definition = knownDefinition(name, folder);
      if (definition === null) throw new AppError('not-found', `${name} is no well-known server.`);
      await add(name, definition);
      return report(name);
    },
    change: async ({ input: { name, definition }, signal }) => {
      await changeServer(options, { name, before: find(name), definition }, signal);
      return report(name);
    },
    importFile: async ({ input: { path, where, mayExpose } }) =>
      addAll(options, add, { ...serversIn(await textOfFile(path), path, { where }), mayExpose }),
    importText: async ({ input: { text, where, hosts, mayExpose } }) =>
      addAll(options, add, { ...serversInText(text, { where, hosts }), mayExpose }),
    secret: async ({ input: { name, variable, value } }) => {
      const { definition } = find(name);
      const named = takenSecrets(definition);
      if (!named.includes(variable)) {
        throw new AppError('bad-input', `The tool server ${name} takes no ${variable}. Nothing was kept.`, {
          hint: named.length === 0 ? 'Its definition names none.' : `It takes: ${named.join(', ')}`,
        });
      }
      await options.keepSecret(name, variable, value);
      // The running server still has the old value.
      await running.stop(name);
    },
    ...createApprovals(options, find, report),
    ...createSignInCommands(options, find, report),
    ...createConnections(options, find),
    ...createTaskCommands(options, find),
    set: async ({ input }) => {
      const { name, tool, isOn } = input;
      const server = find(name);
      // Composio also reaches tools that it does not list.
      const isOpen = server.definition.kind === 'composio' || isOn === null || server.off.includes(tool ?? '');
      if (tool !== undefined && !isOpen && !(await report(name)).tools.some((one) => one.tool === tool))
        throw new AppError('not-found', `The tool server ${name} has no tool ${tool}. Nothing was switched.`, {
          hint: `See: dewpoint tools show ${name}`,
        });
      await setOn(options, input, find(name));
      return report(input.name, input.projectPath);
    },
    remove: async ({ input: { name }, signal }) => removeServer(options, name, find(name), signal),
  };
}

async function removeServer(
  options: ToolCommandsOptions,
  name: string,
  { definition }: ToolServerSettings,
  signal: AbortSignal,
): Promise<void> {
  await options.running.forget(name);
  await options.signIns.signOut(name, signal);
  await options.save(name, null);
  await options.pins.change(name, () => []);
  for (const [path, own] of Object.entries(options.projects()))
    await saveOwn(options, path, (key) => (key === name || key.startsWith(`${name}/`) ? null : (own[key] ?? null)));
  for (const one of takenSecrets(definition)) await options.dropSecret(name, one);
}

async function addAll(
  { keepSecret, hideSecrets, servers }: ToolCommandsOptions,
  add: (name: string, definition: ToolServerSettings['definition']) => Promise<void>,
  found: FoundServers & { readonly mayExpose: boolean },
): Promise<ServerImport> {
  const added: string[] = [];
  const skipped = [...found.skipped];
  const unkept: string[] = [];
  const unset: Record<string, readonly string[]> = {};
  const exposed = found.servers.flatMap(({ definition }) => maskedLine(definition, hideSecrets) ?? []);
  if (exposed.length > 0 && !found.mayExpose) return { added, skipped, unkept, unset, exposed };
  for (const one of found.servers) {
    const { definition, secrets } = one;
    const name = one.isUnnamed ? freeName(one, servers()) : one.name;
    const saved: string[] = [];
    try {
      await add(name, definition);
    } catch (error) {
      skipped.push(`${name}: ${messageOf(error)}`);
      continue;
    }
    added.push(name);
    try {
      for (const [variable, value] of Object.entries(secrets)) {
        await keepSecret(name, variable, value);
        saved.push(variable);
      }
    } catch (error) {
      unkept.push(`${name}: ${messageOf(error)}`);
    }
    unset[name] = secretNames(definition).filter((key) => !saved.includes(key));
  }
  return { added, skipped, unkept, unset, exposed: [] };
}

/** Several servers of one machine have no name of their own. The same one twice stays a conflict. */
function freeName({ name, definition }: FoundServer, taken: Readonly<Record<string, ToolServerSettings>>): string {
  for (let at = 1; ; at += 1) {
    // The name with its number still fits.
    const free = at === 1 ? name : `${name.slice(0, 23 - String(at).length)}-${at}`;
    const other = Object.hasOwn(taken, free) ? taken[free] : undefined;
    if (other === undefined || definitionText(other.definition) === definitionText(definition)) return free;
  }
}

interface Switch {
  readonly name: string;
  readonly tool?: string | undefined;
  readonly isOn: boolean | null;
  readonly projectPath?: string | undefined;
}

async function setOn(
  options: ToolCommandsOptions,
  { name, tool, isOn, projectPath }: Switch,
  server: ToolServerSettings,
): Promise<void> {
  if (projectPath !== undefined) {
    const key = tool === undefined ? name : `${name}/${tool}`;
    return saveWord(options, projectPath, { key, isOn });
  }
  if (isOn === null) throw new AppError('bad-input', 'Only a project can go by the general word.');
  const off = server.off.filter((one) => one !== tool);
  if (tool === undefined) await options.save(name, { ...server, isOn });
  else await options.save(name, { ...server, off: isOn ? off : [...off, tool] });
  if (tool === undefined && !isOn) await options.running.stop(name);
}

/** Approvals of what the user was shown, and a look at what a server lists. */
function createApprovals(
  { running, pins, save, now }: ToolCommandsOptions,
  find: (name: string) => ToolServerSettings,
  report: (name: string) => Promise<ToolServerReport>,
): Pick<Handlers['tools'], 'approve' | 'approveTools' | 'markReading' | 'askAgain' | 'test'> {
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
    markReading: async ({ input: { name, tool, isReading } }) => {
      find(name);
      if (!(await pins.of(name)).some(({ definition }) => definition.name === tool)) {
        throw new AppError('not-found', `${name} has no approved tool ${tool}. Nothing was changed.`, {
          hint: `Approve it first: dewpoint tools approve ${name}`,
        });
      }
      await pins.change(name, (before) => before.map((pin) => markedPin(pin, tool, isReading)));
      return report(name);
    },
    askAgain: async ({ input: { name, tool } }) => {
      find(name);
      await pins.change(name, (before) =>
        before.map(({ always, ...pin }) =>
          pin.definition.name === tool || always === undefined ? pin : { ...pin, always },
        ),
      );
      return report(name);
    },
    test: async ({ input: { name }, signal }) => {
      find(name);
      await (await running.connect(name, signal)).refresh(signal);
      return report(name);
    },
  };
}

function markedPin(pin: ToolPin, tool: string, isReading: boolean): ToolPin {
  if (pin.definition.name !== tool) return pin;
  const { isReading: _before, ...rest } = pin;
  return isReading ? { ...rest, isReading } : rest;
}

/** Only the user starts a sign-in: no tool and no server reaches these handlers. */
function createSignInCommands(
  { running, signIns }: ToolCommandsOptions,
  find: (name: string) => ToolServerSettings,
  report: (name: string) => Promise<ToolServerReport>,
): Pick<Handlers['tools'], 'signIn' | 'signInAddress' | 'finishSignIn' | 'signOut'> {
  return {
    signIn: ({ input: { name, byCode = false }, signal }) =>
      progressStream<SignInProgress>(async (push, stop) => {
        const server = find(name);
        // A server says what it wants to be signed in with only when it is asked. The reason for a failure follows
        // below.
        if (running.running(name) === null) await running.connect(name, stop).catch(() => undefined);
        mustBeApproved(name, server);
        await signIns.start(name, server.definition, {
          signal: stop,
          byCode,
          onOpen: (open) => push({ type: 'open', ...open }),
        });
        // The running server still has the old rights.
        await running.stop(name);
        await running.connect(name, stop);
        push({ type: 'done', server: await report(name) });
      }, signal),
    signInAddress: async ({ input: { name } }) => ({ url: signIns.waiting(name) }),
    finishSignIn: async ({ input: { name, address } }) => signIns.deliver(name, address),
    signOut: async ({ input: { name }, signal }) => {
      find(name);
      const revocation = await signIns.signOut(name, signal);
      await running.stop(name);
      return { revocation, server: await report(name) };
    },
  };
}

function mustBeApproved(name: string, server: ToolServerSettings): void {
  if (isApproved(name, server)) return;
  throw new AppError('refused', `The tool server ${name} was not approved as it is now, so nobody can sign in.`, {
    hint: `Look at it and approve it: dewpoint tools approve ${name}`,
  });
}

/** Accounts at services. The user connects each one by opening a link. */
function createConnections(
  { running }: ToolCommandsOptions,
  find: (name: string) => ToolServerSettings,
): Pick<Handlers['tools'], 'connections' | 'connect' | 'connected'> {
  const accountsOf = async (name: string, signal: AbortSignal): Promise<ServiceAccounts> => {
    find(name);
    const { accounts } = await running.connect(name, signal);
    if (accounts !== undefined) return accounts;
    throw new AppError('bad-input', `The tool server ${name} works through no accounts. Nothing was connected.`);
  };
  return {
    connections: async ({ input: { name }, signal }) => (await accountsOf(name, signal)).list(signal),
    connect: async ({ input: { name, toolkit }, signal }) => ({
      link: await (await accountsOf(name, signal)).link(toolkit.toLowerCase(), signal),
    }),
    connected: async ({ input: { name, toolkit }, signal }) =>
      (await accountsOf(name, signal)).connected(toolkit.toLowerCase(), signal),
  };
}

/** Shows and stops the tasks that servers work on. */
function createTaskCommands(
  { running }: ToolCommandsOptions,
  find: (name: string) => ToolServerSettings,
): Pick<Handlers['tools'], 'tasks' | 'stopTask'> {
  const tasksOf = async (name: string, signal: AbortSignal) => {
    find(name);
    const { tasks } = await running.connect(name, signal);
    if (tasks !== undefined) return tasks;
    throw new AppError('bad-input', `The tool server ${name} has no tasks.`);
  };
  return {
    tasks: async ({ input: { name }, signal }) => (await tasksOf(name, signal)).list(signal),
    stopTask: async ({ input: { name, taskId }, signal }) => (await tasksOf(name, signal)).stop(taskId, signal),
  };
}

function changed(what: string): AppError {
  return new AppError('conflict', `${what} changed since you looked at it. Nothing was approved.`, {
    hint: 'Look at it again, then approve it.',
  });
}

async function textOfFile(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a folder');
    if (found.size > mostFileBytes) throw new Error('it is larger than 1 MB');
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) throw new AppError('not-found', `The file ${path} was not found.`);
    throw error instanceof AppError ? error : new AppError('not-found', `${path} cannot be read: ${messageOf(error)}`);
  }
}

/** A tool that was approved before keeps its place in the list, so that the beginning of the prompt does not change. */
function withPins(before: readonly ToolPin[], chosen: readonly ToolPin[]): readonly ToolPin[] {
  const named = (name: string, pins: readonly ToolPin[]): ToolPin | undefined =>
    pins.find(({ definition }) => definition.name === name);
  const kept = before.map((pin) => {
    const anew = named(pin.definition.name, chosen);
    return anew === undefined ? pin : { ...anew, approvedAt: pin.approvedAt, lastUsedAt: pin.lastUsedAt };
  });
  return [...kept, ...chosen.filter(({ definition }) => named(definition.name, before) === undefined)];
}
