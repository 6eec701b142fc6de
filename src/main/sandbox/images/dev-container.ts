import { z } from 'zod';
import { shellQuote } from '../../lib/programs/shell-quote.ts';

/** The supported part of a project's `devcontainer.json`. */
export interface DevContainer {
  readonly image: string | null;
  /** Relative to the folder of the file. */
  readonly dockerfile: string | null;
  /** The commands that install its packages, in the order in which a development container runs them. */
  readonly setup: { readonly python?: string; readonly javascript?: string };
  readonly environment: Readonly<Record<string, string>>;
  /** What else it asks for that is not supported here, with the reason. */
  readonly leftOut: readonly string[];
}

const commandSchema = z.union([z.string(), z.array(z.string())]);
const lifecycleSchema = z.union([commandSchema, z.record(z.string(), commandSchema)]).optional();
// Null would remove a variable, but there are none to remove here.
const variablesSchema = z.record(z.string(), z.union([z.string(), z.null()])).optional();

const fileSchema = z.looseObject({
  image: z.string().min(1).max(400).optional(),
  dockerFile: z.string().optional(),
  build: z.looseObject({ dockerfile: z.string().optional() }).optional(),
  onCreateCommand: lifecycleSchema,
  updateContentCommand: lifecycleSchema,
  postCreateCommand: lifecycleSchema,
  containerEnv: variablesSchema,
  remoteEnv: variablesSchema,
});
type File = z.infer<typeof fileSchema>;

/** Fields that are not supported for sessions, with the reason. */
const notHere = {
  features: 'they are not supported: a Dockerfile can install the same',
  dockerComposeFile: 'a session has only one container',
  initializeCommand: 'nothing of a project runs on your machine',
  postStartCommand: 'sessions start without it',
  postAttachCommand: 'sessions start without it',
  mounts: 'nothing else of your machine is given to a container',
  workspaceMount: 'the project is in /workspace',
  runArgs: 'a container gets no other rights',
  privileged: 'a container gets no other rights',
  capAdd: 'a container gets no other rights',
  securityOpt: 'a container gets no other rights',
} as const;

/** The longest accepted file. Real ones have about a hundredth of it. */
const longest = 256 * 1024;

/**
 * Null if it cannot be parsed or is too long. Accepts JSON with comments and trailing commas, as these files often
 * have.
 */
export function parseDevContainer(text: string): DevContainer | null {
  if (text.length > longest) return null;
  const parsed = fileSchema.safeParse(parseWithComments(text));
  if (!parsed.success) return null;
  const file = parsed.data;
  const commands = commandsOf(file);
  const variables = variablesOf(file);
  const absent = Object.entries(notHere).flatMap(([name, why]) => (isAsked(file[name]) ? [`${name}: ${why}`] : []));
  const inBuild = ['args', 'context', 'target'].filter((name) => isAsked(file.build?.[name]));
  return {
    image: file.image ?? null,
    dockerfile: file.build?.dockerfile ?? file.dockerFile ?? null,
    setup: commands.setup,
    environment: variables.environment,
    leftOut: [
      ...absent,
      ...inBuild.map((name) => `build.${name}: the build gets only the Dockerfile`),
      ...commands.leftOut,
      ...variables.leftOut,
    ],
  };
}

function isAsked(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}

const installsWith = {
  python: /\b(?:pip3?|python3?|uv|poetry|pipenv|pdm|hatch|tox)\b/,
  javascript: /\b(?:npm|npx|pnpm|yarn|corepack|node)\b/,
} as const;

/** Finds out by its words which packages a command installs. One that names both kinds runs for each of them. */
function commandsOf(file: File): Pick<DevContainer, 'setup' | 'leftOut'> {
  const python: string[] = [];
  const javascript: string[] = [];
  const leftOut: string[] = [];
  for (const name of ['onCreateCommand', 'updateContentCommand', 'postCreateCommand'] as const) {
    for (const command of wordsOf(file[name])) {
      const isPython = installsWith.python.test(command);
      const isJavascript = installsWith.javascript.test(command);
      if (isPython) python.push(command);
      if (isJavascript) javascript.push(command);
      if (!isPython && !isJavascript)
        leftOut.push(`${name}: it installs no packages of Python or JavaScript (${command})`);
    }
  }
  const together = (commands: readonly string[]): string =>
    commands.length === 1 ? (commands[0] ?? '') : commands.map((command) => `( ${command} )`).join(' && ');
  return {
    setup: {
      ...(python.length === 0 ? {} : { python: together(python) }),
      ...(javascript.length === 0 ? {} : { javascript: together(javascript) }),
    },
    leftOut,
  };
}

/** One text for each command. Commands that may run in parallel run one after the other. */
function wordsOf(command: File['postCreateCommand']): readonly string[] {
  if (command === undefined) return [];
  const all = typeof command === 'string' || Array.isArray(command) ? [command] : Object.values(command);
  const lines = all.map((one) => (typeof one === 'string' ? one : one.map(shellQuote).join(' ')).trim());
  return lines.filter((line) => line !== '');
}

function variablesOf({ containerEnv = {}, remoteEnv = {} }: File): Pick<DevContainer, 'environment' | 'leftOut'> {
  const environment: Record<string, string> = {};
  const leftOut: string[] = [];
  for (const [name, value] of Object.entries({ ...containerEnv, ...remoteEnv })) {
    if (value === null) continue;
    const here = value.replaceAll('${containerWorkspaceFolder}', '/workspace');
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) leftOut.push(`${name}: this is not a name of a variable`);
    else if (/\$\{\w+/.test(here))
      leftOut.push(`${name}: its value belongs to another machine or container (${value})`);
    else environment[name] = here;
  }
  return { environment, leftOut };
}

function parseWithComments(text: string): unknown {
  // Unclosed strings match, too. Otherwise, every quote in one would be searched to the end of the text, which is
  // slow.
  const strings = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
  const isComment = (found: string): boolean => found.startsWith('//') || found.endsWith('*/');
  const plain = text
    .replace(/^\uFEFF/, '')
    .replaceAll(strings, (found) => (!found.startsWith('"') && isComment(found) ? ' ' : found));
  try {
    return JSON.parse(plain.replaceAll(/"(?:[^"\\]|\\.)*"?|,(?=\s*[}\]])/g, (found) => (found === ',' ? '' : found)));
  } catch {
    // The caller reports a file that is not JSON.
    return null;
  }
}
