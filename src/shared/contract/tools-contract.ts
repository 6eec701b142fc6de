import { type } from '@orpc/contract';
import { z } from 'zod';
import type { ToolkitConnection } from '@shared/tools/composio.ts';
import type {
  ServerImport,
  SignInProgress,
  SignOutRevocation,
  ToolServerReport,
} from '@shared/tools/server-definition.ts';
import type { ServerTasks } from '@shared/tools/task-list.ts';
import { serverDefinitionSchema, serverNameSchema } from '@shared/tools/server-definition.ts';
import { keptNamesSchema } from '@shared/tools/kept-program.ts';
import type { KeptVersion, OwnToolDraft, OwnToolFile, OwnToolReport, OwnToolsReport } from '@shared/tools/own-tool.ts';
import { mostToolCharacters, ownToolExamples, ownToolLanguages, ownToolNameSchema } from '@shared/tools/own-tool.ts';
import { searchServiceNames, webToolNames, type WebToolReport } from '@shared/tools/web-tools.ts';
import { base } from './contract-base.ts';

const name = z.string().min(1).max(100);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const byName = z.object({ name });
const where = z.enum(['container', 'host']);
const toolkit = z.string().min(1).max(64);
const projectPath = z.string().min(1).max(4096);

/**
 * Servers whose tools agents may call. No answer holds the value of a secret, and what a server says of itself stands in
 * answers as it said it: whoever shows it makes it safe to be seen.
 */
export const toolsContract = {
  /** All of them as they are, in one project where one is named; starts none. */
  list: base
    .input(z.object({ projectPath: projectPath.optional() }).optional())
    .output(type<readonly ToolServerReport[]>()),
  /** Keeps a server; nothing of it is started or reached. `conflict` where there is one of that name. */
  add: base
    .input(z.object({ name: serverNameSchema, definition: serverDefinitionSchema }))
    .output(type<ToolServerReport>()),
  /** Keeps the servers in a file of another program, none of them approved. `host`: those that are programs run on this machine. */
  importFile: base.input(z.object({ path: z.string().min(1).max(4096), where })).output(type<ServerImport>()),
  /** The same with a text that was pasted: an address, a link for installation, or what stands in such a file. `hosts`: what its programs may reach from their containers. */
  importText: base
    .input(
      z.object({
        text: z.string().min(1).max(200_000),
        where,
        hosts: z.array(z.string().max(300)).max(50).default([]),
      }),
    )
    .output(type<ServerImport>()),
  /** Keeps the value of a variable or header in the key store. */
  secret: base
    .input(z.object({ name, variable: z.string().min(1).max(200), value: z.string().min(1).max(20_000) }))
    .output(type<void>()),
  /** A yes to exactly this definition, by its hash; then it is started or reached, and its tools are listed. */
  approve: base.input(z.object({ name, sha256 })).output(type<ToolServerReport>()),
  /** A yes to exactly these definitions of tools. `conflict` where one is another by now; then none is approved. */
  approveTools: base
    .input(z.object({ name, tools: z.array(z.object({ tool: z.string(), sha256 })).max(2000) }))
    .output(type<ToolServerReport>()),
  /**
   * Says of an approved tool that it only reads, or takes that back: an equal call in a turn is then answered by the one
   * before. Each call that is sent is asked about as before, and a changed definition loses the word.
   */
  markReading: base
    .input(z.object({ name, tool: z.string().max(256), isReading: z.boolean() }))
    .output(type<ToolServerReport>()),
  /** Starts or reaches an approved server and lists its tools anew. */
  test: base.input(byName).output(type<ToolServerReport>()),
  /**
   * Switches a server, or one of its tools, in all projects or in one; what is off is offered to no model. `null`: the
   * project goes by the general word again.
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
   * Signs the person in to a server over HTTP. First comes the address to be opened in a browser; it waits for what the
   * browser brings back, and ends with the stream. `byCode`: with the address comes a code, to be typed there on any
   * device. Nothing secret comes out of it.
   */
  signIn: base.input(byName.extend({ byCode: z.boolean().optional() })).output(type<AsyncIterable<SignInProgress>>()),
  /** The address of the sign-in that waits; null: none does. For a host that opens it. */
  signInAddress: base.input(byName).output(type<{ readonly url: string | null }>()),
  /** The address that a browser on another machine ended at. `bad-input` where it is not that one; the sign-in waits on. */
  finishSignIn: base.input(z.object({ name, address: z.string().min(1).max(20_000) })).output(type<void>()),
  /** Tells the service and deletes the sign-in here. `revocation`: null where nobody was signed in. */
  signOut: base
    .input(byName)
    .output(type<{ readonly revocation: SignOutRevocation | null; readonly server: ToolServerReport }>()),
  /** With its keys, approvals and sign-in. */
  remove: base.input(byName).output(type<void>()),
  /** What a server works on: the tasks that it lists, and those that a session waits for. Asks it. */
  tasks: base.input(byName).output(type<ServerTasks>()),
  /** Has a server end a task; a call that waits for it ends with it. */
  stopTask: base.input(byName.extend({ taskId: z.string().min(1).max(1_000) })).output(type<void>()),
  /** Of a server that works through accounts of the person: which are connected. Asks it. */
  connections: base.input(byName).output(type<readonly ToolkitConnection[]>()),
  /** Begins to connect an account: the link at which the person signs in. `null`: it is connected, or needs none. */
  connect: base.input(z.object({ name, toolkit })).output(type<{ readonly link: string | null }>()),
  /** Answers when the account is connected; fails when it cannot be any more, and after ten minutes. */
  connected: base.input(z.object({ name, toolkit })).output(type<void>()),
};

const webTool = z.enum(webToolNames);

/** Tools by which agents reach the web. */
export const webContract = {
  list: base.output(type<readonly WebToolReport[]>()),
  set: base.input(z.object({ name: webTool, isOn: z.boolean() })).output(type<WebToolReport>()),
  /** Keeps the key of a search service in the key store. */
  secret: base
    .input(z.object({ service: z.string().min(1).max(40), value: z.string().min(1).max(20_000) }))
    .output(type<void>()),
  /**
   * Searches with a service once, with what is given or kept for it, and uses it from then on. Where that fails nothing is
   * kept, and what was in use stays.
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
  /** Reads an address, or searches, as an agent would, and gives what it would read. Nobody is asked: who calls it has said so. */
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
 * Tools that are files, of the person and of one project where one is named. What stands in a file is its author's: whoever
 * shows it makes it safe to be seen. Looking at them runs none.
 */
export const ownToolsContract = {
  list: base.input(z.object({ projectPath: projectPath.optional() }).optional()).output(type<OwnToolsReport>()),
  /** A yes to exactly these bytes of a project's tool. `conflict` where they are others by now. */
  approve: base.input(ownTool.extend({ sha256 })).output(type<OwnToolReport>()),
  /** Switches one, in all projects or in one. `null`: the project goes by the general word again. */
  set: base.input(ownTool.extend({ isOn: z.boolean().nullable() })).output(type<OwnToolReport>()),
  /** Keeps the value of a secret that its file names in the key store. */
  secret: base
    .input(ownTool.extend({ variable: z.string().min(1).max(200), value: z.string().min(1).max(20_000) }))
    .output(type<void>()),
  /** Removes its secrets and approvals. Its file is the person's to delete. */
  forget: base.input(ownTool).output(type<{ readonly path: string }>()),
  /** Runs it with these arguments, outside of any session and without a project's files. Nobody is asked: who calls it has said so. */
  test: base
    .input(ownTool.extend({ input: z.record(z.string(), z.unknown()) }))
    .output(type<{ readonly status: string; readonly text: string }>()),
  /** Keeps a program of a session, which ended well, as a tool of its project; of the same name: as its next version. */
  keep: base
    .input(keptNamesSchema.extend({ sessionId: z.string().min(1), toolCallId: z.string().min(1) }))
    .output(type<OwnToolReport>()),
  /** Of a kept program, the newest first. */
  versions: base.input(ownTool).output(type<readonly KeptVersion[]>()),
  /** Removes the file of a kept program with all that is known of it. `conflict` where it is another one by now. */
  removeProgram: base.input(ownTool.extend({ projectPath, sha256 })).output(type<void>()),
  /** Writes a file that works at once: from a template, or from an example. `conflict` where there is one. */
  create: base.input(newTool.extend({ projectPath: projectPath.optional() })).output(type<OwnToolReport>()),
  /** What `create` would write. Writes nothing. */
  template: base.input(newTool).output(type<OwnToolFile>()),
  /** The whole file of one, as it is now. */
  read: base
    .input(z.object({ file: z.string().min(1).max(300), projectPath: projectPath.optional() }))
    .output(type<OwnToolFile & { readonly sha256: string }>()),
  /**
   * What a text would be as such a file. With `say` its declaration is written anew to say that, as far as it can be
   * said there; the code stays. Runs nothing and writes nothing.
   */
  draft: base
    .input(toolText.extend({ say: z.record(z.string(), z.unknown()).optional() }))
    .output(type<OwnToolDraft>()),
  /** As `test`, of a text that need not be saved. `printed`: the end of what it said while it ran. */
  testText: base
    .input(toolText.extend({ projectPath: projectPath.optional(), input: z.record(z.string(), z.unknown()) }))
    .output(type<{ readonly status: string; readonly text: string; readonly printed: string }>()),
  /**
   * Writes the file of one; also a text that is broken, which no agent is offered then. `replaces`: the bytes that it takes
   * the place of; without it there must be no such file. `conflict` where that is not so. A project's file that was
   * approved as it was stays so; a kept program gets its next version, and waits for a yes.
   */
  save: base
    .input(toolText.extend({ projectPath: projectPath.optional(), replaces: sha256.optional() }))
    .output(type<OwnToolReport>()),
};
