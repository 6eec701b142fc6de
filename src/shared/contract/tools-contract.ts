import { type } from '@orpc/contract';
import { z } from 'zod';
import type { ToolkitConnection } from '@shared/tools/composio.ts';
import type {
  KnownServer,
  ServerImport,
  SignInProgress,
  SignOutRevocation,
  ToolServerReport,
} from '@shared/tools/server-definition.ts';
import type { ServerTasks } from '@shared/tools/task-list.ts';
import { serverDefinitionSchema, serverNameSchema } from '@shared/tools/server-definition.ts';
import { keptNamesSchema } from '@shared/tools/kept-program.ts';
import type { KeptVersion, OwnToolCheck, OwnToolFile, OwnToolReport, OwnToolsReport } from '@shared/tools/own-tool.ts';
import { ownToolExamples, ownToolLanguages } from '@shared/tools/own-tool-choices.ts';
import { mostToolCharacters, ownToolNameSchema } from '@shared/tools/own-tool.ts';
import { searchServiceNames, webToolNames, type WebToolReport } from '@shared/tools/web-tools.ts';
import { base } from './contract-base.ts';

const name = z.string().min(1).max(100);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const byName = z.object({ name });
const where = z.enum(['container', 'host']);
/** Servers may be added whose definition holds what looks like a secret. The user was shown it, and said yes. */
const mayExpose = z.boolean().default(false);
const toolkit = z.string().min(1).max(64);
const projectPath = z.string().min(1).max(4096);

/**
 * Servers whose tools agents may call. No answer holds the value of a secret. What a server says about itself is passed
 * on unchanged; whoever displays it must make it safe first.
 */
export const toolsContract = {
  /** All servers, for one project if one is named. Starts none. */
  list: base
    .input(z.object({ projectPath: projectPath.optional() }).optional())
    .output(type<readonly ToolServerReport[]>()),
  /** Saves a server without starting or reaching it. `conflict` if the name is taken. */
  add: base
    .input(z.object({ name: serverNameSchema, definition: serverDefinitionSchema }))
    .output(type<ToolServerReport>()),
  /**
   * What would be started or reached, with what looks like a secret masked; null: it holds none. What stands in a command
   * line stays in the settings, and whoever lists the programs of the machine sees it. Saves nothing.
   */
  exposed: base.input(z.object({ definition: serverDefinitionSchema })).output(type<string | null>()),
  /** Well-known servers that start without an account. */
  known: base.output(type<readonly KnownServer[]>()),
  /** Adds one of them, as `add` does. `folder`: what it works on, where it asks for one. */
  addKnown: base.input(z.object({ name, folder: z.string().max(4096).optional() })).output(type<ToolServerReport>()),
  /**
   * Changes what is started or reached, and keeps its switches. It needs approval again. Keys that it takes no more are
   * removed, and all of them and the sign-in if another address gets them.
   */
  change: base.input(z.object({ name, definition: serverDefinitionSchema })).output(type<ToolServerReport>()),
  /** Imports the servers in another program's file, none of them approved. `host`: run its programs on this machine. */
  importFile: base
    .input(z.object({ path: z.string().min(1).max(4096), where, mayExpose }))
    .output(type<ServerImport>()),
  /**
   * Imports servers from pasted text: an address, an installation link, or the content of such a file. `hosts`: what
   * its programs may reach from their containers.
   */
  importText: base
    .input(
      z.object({
        text: z.string().min(1).max(200_000),
        where,
        hosts: z.array(z.string().max(300)).max(50).default([]),
        mayExpose,
      }),
    )
    .output(type<ServerImport>()),
  /** Saves the value of a variable or header in the key store. */
  secret: base
    .input(z.object({ name, variable: z.string().min(1).max(200), value: z.string().min(1).max(20_000) }))
    .output(type<void>()),
  /** Approves exactly this definition, by its hash. Then starts or reaches the server and lists its tools. */
  approve: base.input(z.object({ name, sha256 })).output(type<ToolServerReport>()),
  /** Approves exactly these tool definitions. If one has changed since: `conflict`, and none is approved. */
  approveTools: base
    .input(z.object({ name, tools: z.array(z.object({ tool: z.string(), sha256 })).max(2000) }))
    .output(type<ToolServerReport>()),
  /**
   * Marks an approved tool as one that only reads, or removes the mark. An equal call in the same turn then reuses the
   * earlier result. Calls that are sent still need approval as before. A changed definition loses the mark.
   */
  markReading: base
    .input(z.object({ name, tool: z.string().max(256), isReading: z.boolean() }))
    .output(type<ToolServerReport>()),
  /** Takes back that all calls of a tool are allowed. Each is asked about again. */
  askAgain: base.input(z.object({ name, tool: z.string().max(256) })).output(type<ToolServerReport>()),
  /** Starts or reaches an approved server and lists its tools again. */
  test: base.input(byName).output(type<ToolServerReport>()),
  /**
   * Switches a server, or one of its tools, on or off, in all projects or in one. No model is offered what is off.
   * `null`: the general setting applies to the project again.
   */
  set: base
    .input(
      z.object({
        name,
        tool: z.string().max(256).optional(),
        isOn: z.boolean().nullable(),
        projectPath: projectPath.optional(),
      }),
    )
    .output(type<ToolServerReport>()),
  /**
   * Signs the user in to a server over HTTP. The first push is the address to open in a browser. The stream then waits
   * for the browser's answer and ends. `byCode`: a code comes with the address, to type in there on any device. No push
   * holds a secret.
   */
  signIn: base.input(byName.extend({ byCode: z.boolean().optional() })).output(type<AsyncIterable<SignInProgress>>()),
  /** The address of the waiting sign-in, for a host that opens it; null when none waits. */
  signInAddress: base.input(byName).output(type<{ readonly url: string | null }>()),
  /**
   * Takes the address at which a browser on another machine ended. `bad-input` for a wrong one; the sign-in still waits
   * then.
   */
  finishSignIn: base.input(z.object({ name, address: z.string().min(1).max(20_000) })).output(type<void>()),
  /** Revokes the sign-in at the service and deletes it here. `revocation` is null if nobody was signed in. */
  signOut: base
    .input(byName)
    .output(type<{ readonly revocation: SignOutRevocation | null; readonly server: ToolServerReport }>()),
  /** Also removes its keys, approvals and sign-in. */
  remove: base.input(byName).output(type<void>()),
  /** Asks a server for its tasks: those that it lists, and those that a session waits for. */
  tasks: base.input(byName).output(type<ServerTasks>()),
  /** Tells a server to end a task. A call that waits for it ends, too. */
  stopTask: base.input(byName.extend({ taskId: z.string().min(1).max(1_000) })).output(type<void>()),
  /** Asks a server that uses the user's accounts which of them are connected. */
  connections: base.input(byName).output(type<readonly ToolkitConnection[]>()),
  /**
   * Begins to connect an account. Returns the link where the user signs in; null: it is connected, or needs no account.
   */
  connect: base.input(z.object({ name, toolkit })).output(type<{ readonly link: string | null }>()),
  /** Resolves once the account is connected. Fails if that is no longer possible, and after ten minutes. */
  connected: base.input(z.object({ name, toolkit })).output(type<void>()),
};

const webTool = z.enum(webToolNames);

/** Tools that let agents reach the web. */
export const webContract = {
  list: base.output(type<readonly WebToolReport[]>()),
  set: base.input(z.object({ name: webTool, isOn: z.boolean() })).output(type<WebToolReport>()),
  /** Saves the key of a search service in the key store. */
  secret: base
    .input(z.object({ service: z.string().min(1).max(40), value: z.string().min(1).max(20_000) }))
    .output(type<void>()),
  /**
   * Tries one search with a service, with the given or saved settings, and uses the service from then on. If the search
   * fails, nothing is saved and the earlier service stays in use.
   */
  setUpSearch: base
    .input(
      z.object({
        service: z.enum(searchServiceNames),
        key: z.string().min(1).max(20_000).optional(),
        address: z.string().min(1).max(2_000).optional(),
      }),
    )
    .output(type<WebToolReport>()),
  /**
   * Reads an address or searches as an agent would, and returns what an agent would read. Asks nobody: the call itself
   * is the consent.
   */
  test: base
    .input(z.object({ name: webTool, text: z.string().min(1).max(4_000) }))
    .output(type<{ readonly text: string }>()),
};

const ownTool = z.object({ name: z.string().min(1).max(100), projectPath: projectPath.optional() });
const newTool = z.object({
  name: ownToolNameSchema,
  language: z.enum(ownToolLanguages).default('python'),
  example: z.enum(ownToolExamples).optional(),
});
const toolText = z.object({ file: z.string().min(1).max(100), text: z.string().max(mostToolCharacters) });

/**
 * Tools that are files of the user or of one project, if one is named. Their content is untrusted; whoever displays it
 * must make it safe first. Listing them runs none.
 */
export const ownToolsContract = {
  list: base.input(z.object({ projectPath: projectPath.optional() }).optional()).output(type<OwnToolsReport>()),
  /** Approves exactly these bytes of a project's tool. `conflict` if the file has changed since. */
  approve: base.input(ownTool.extend({ sha256 })).output(type<OwnToolReport>()),
  /** Switches a tool on or off, in all projects or in one. `null`: the general setting applies to the project again. */
  set: base.input(ownTool.extend({ isOn: z.boolean().nullable() })).output(type<OwnToolReport>()),
  /** Saves the value of a secret that the tool's file names in the key store. */
  secret: base
    .input(ownTool.extend({ variable: z.string().min(1).max(200), value: z.string().min(1).max(20_000) }))
    .output(type<void>()),
  /** Removes its secrets and approvals. The user deletes the file. */
  forget: base.input(ownTool).output(type<{ readonly path: string }>()),
  /**
   * Runs the tool with these arguments, outside any session and without a project's files. Asks nobody: the call itself
   * is the consent.
   */
  test: base
    .input(ownTool.extend({ input: z.record(z.string(), z.unknown()) }))
    .output(type<{ readonly status: string; readonly text: string }>()),
  /** Saves a session's successful program as a tool of its project. If the name exists, it becomes the next version. */
  keep: base
    .input(keptNamesSchema.extend({ sessionId: z.string().min(1), toolCallId: z.string().min(1) }))
    .output(type<OwnToolReport>()),
  /** The versions of a kept program, newest first. */
  versions: base.input(ownTool).output(type<readonly KeptVersion[]>()),
  /** Removes the file of a kept program and all data about it. `conflict` if the file has changed since. */
  removeProgram: base.input(ownTool.extend({ projectPath, sha256 })).output(type<void>()),
  /** Writes a working file from a template or an example. `conflict` if the file exists. */
  create: base.input(newTool.extend({ projectPath: projectPath.optional() })).output(type<OwnToolReport>()),
  /** What `create` would write. Writes nothing. */
  template: base.input(newTool).output(type<OwnToolFile>()),
  /** The whole file of a tool, as it is now. */
  read: base
    .input(z.object({ file: z.string().min(1).max(300), projectPath: projectPath.optional() }))
    .output(type<OwnToolFile & { readonly sha256: string }>()),
  /** Checks a text as the file of a tool. Runs and writes nothing. */
  check: base.input(toolText).output(type<OwnToolCheck>()),
  /** Like `test`, for a text that need not be saved. `printed` is the end of what it printed. */
  testText: base
    .input(toolText.extend({ projectPath: projectPath.optional(), input: z.record(z.string(), z.unknown()) }))
    .output(type<{ readonly status: string; readonly text: string; readonly printed: string }>()),
  /**
   * Writes the file of a tool, even a broken one, which no agent is offered then. `replaces` is the hash of the bytes
   * to replace; without it there must be no such file. Otherwise `conflict`. A project's file that was approved stays
   * approved. A kept program gets its next version, which needs an approval.
   */
  save: base
    .input(toolText.extend({ projectPath: projectPath.optional(), replaces: sha256.optional() }))
    .output(type<OwnToolReport>()),
};
