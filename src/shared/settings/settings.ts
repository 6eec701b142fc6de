import { z } from 'zod';
import { fencesSchema } from '@shared/safety/fences.ts';
import { networkRulesSchema } from '@shared/safety/network-access.ts';
import { drivingSchema, effortSchema } from '@shared/models/model-info.ts';
import { powerSettingsSchema } from '@shared/models/machine-strain.ts';
import { priceSchema } from '@shared/money/token-cost.ts';
import { projectModelsSchema } from '@shared/projects/project-models.ts';
import type { KnownProvider } from '@shared/models/known-providers.ts';
import { knownProviders } from '@shared/models/known-providers.ts';
import { serverNameSchema, toolServerSchema } from '@shared/tools/server-definition.ts';
import { editorChoices } from './known-editors.ts';
import { policySchema, profileSchema, routingNumbersSchema } from '@shared/routing/routing.ts';
import { approveModeSchema } from '@shared/safety/approval-grants.ts';

export const SETTINGS_VERSION = 1;

/** What a person knows better of a model than its service says. */
const modelSettingsSchema = z.strictObject({
  price: priceSchema.optional(),
  context: z.number().int().positive().optional(),
  /** The longest answer in tokens that the loop asks for. */
  output: z.number().int().min(256).optional(),
  parametersB: z.number().positive().optional(),
  tools: z.boolean().optional(),
  images: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  effort: effortSchema.optional(),
  strategies: z.array(z.enum(['recipe', 'loop'])).optional(),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

const providerShape = {
  label: z.string().optional(),
  /** The environment variable that holds the key, where there is one. Read, never written. */
  keyVariable: z.string().optional(),
  /** How hard its models should think, where no model says otherwise. */
  effort: effortSchema.optional(),
  /** How long an answer may take to begin: a slow server reads a long prompt for many minutes. Absent: 300. */
  firstWordSeconds: z.number().int().min(10).max(3600).optional(),
  models: z.record(z.string(), modelSettingsSchema).default({}),
};

/** Services and servers that speak Chat Completions, each with its habits. */
export const presetSchema = z.enum([
  'openrouter',
  'groq',
  'deepseek',
  'mistral',
  'xai',
  'together',
  'fireworks',
  'azure',
  'lm-studio',
  'vllm',
  'llama-server',
]);
export type Preset = z.infer<typeof presetSchema>;

/** A configured endpoint that speaks Chat Completions. Its key is never here. */
export const openaiCompatibleSchema = z
  .strictObject({
    kind: z.literal('openai-compatible'),
    preset: presetSchema.optional(),
    /** Needed where no preset knows it; with one, in its place. */
    baseUrl: z.url().optional(),
    /** `local` for a server on this machine that costs nothing per token. Absent: as the preset says, else `cloud`. */
    where: z.enum(['local', 'cloud']).optional(),
    ...providerShape,
  })
  .refine((value) => value.baseUrl !== undefined || (value.preset !== undefined && value.preset !== 'azure'), {
    message: 'It needs a baseUrl, or a preset that knows one.',
    path: ['baseUrl'],
  });

export const openaiSchema = z.strictObject({
  kind: z.literal('openai'),
  baseUrl: z.url().default('https://api.openai.com/v1'),
  ...providerShape,
});

export const anthropicSchema = z.strictObject({
  kind: z.literal('anthropic'),
  baseUrl: z.url().default('https://api.anthropic.com'),
  ...providerShape,
});

export const geminiSchema = z.strictObject({
  kind: z.literal('gemini'),
  baseUrl: z.url().default('https://generativelanguage.googleapis.com/v1beta'),
  ...providerShape,
});

export const huggingfaceSchema = z.strictObject({
  kind: z.literal('huggingface'),
  baseUrl: z.url().default('https://router.huggingface.co/v1'),
  ...providerShape,
});

export const llamaCppSchema = z.strictObject({
  kind: z.literal('llama-cpp'),
  contextTokens: z.number().int().positive().optional(),
  threads: z.number().int().positive().optional(),
  gpu: z.enum(['auto', 'off']).default('auto'),
  /** A model that was not asked for so long gives its memory back; null: never. Absent: 15. */
  unloadAfterMinutes: z.number().positive().nullable().optional(),
});

/** Model files of this machine in the `llama-server` that is installed here, which Dewpoint starts and ends. */
export const llamaServerSchema = z.strictObject({
  kind: z.literal('llama-server'),
  /** The program to start. Absent: as the search path and the usual places have it. */
  program: z.string().min(1).optional(),
  contextTokens: z.number().int().positive().optional(),
  threads: z.number().int().positive().optional(),
  gpu: z.enum(['auto', 'off']).default('auto'),
  /**
   * How tokens are drafted ahead. `auto`: as a probe found it to be quicker here, else not; `lookup`: out of the
   * conversation; `mtp`: by layers of the model's own; or a smaller model that drafts for it.
   */
  drafts: z
    .string()
    .regex(/^(?:auto|off|lookup|mtp|llama-cpp\/.+)$/, 'It is auto, off, lookup, mtp or llama-cpp/NAME.')
    .default('auto'),
  /** A server that was not asked for so long is ended; null: never. */
  unloadAfterMinutes: z.number().positive().nullable().default(15),
});
export type LlamaServerSettings = z.infer<typeof llamaServerSchema>;

/** A server of one's own that speaks Ollama's API. */
export const ollamaSchema = z.strictObject({
  kind: z.literal('ollama'),
  /** Absent: as OLLAMA_HOST says, else the usual place on this machine. */
  baseUrl: z.url().optional(),
  /** Absent: as much as is useful and fits. */
  contextTokens: z.number().int().positive().optional(),
  /** Where it is installed on this machine and does not run, Dewpoint starts it, and ends it when it ends itself. */
  start: z.boolean().default(false),
  /** The program to start. Absent: as the search path and the usual places have it. */
  program: z.string().min(1).optional(),
  /** How long a model stays in memory after a call. 0: until the end of the session that used it. */
  keepAliveMinutes: z.number().int().nonnegative().max(1440).default(5),
  models: z.record(z.string(), modelSettingsSchema).default({}),
});
export type OllamaSettings = z.infer<typeof ollamaSchema>;

/** One answer of a scripted model: text, tool calls, or a failure; in order, one a call. */
const scriptedReplySchema = z.strictObject({
  text: z.string().optional(),
  toolCalls: z.array(z.strictObject({ name: z.string(), input: z.unknown() })).optional(),
  error: z.string().optional(),
  delayMs: z.number().nonnegative().optional(),
});

/** Plays back answers written beforehand; for tests and recorded demonstrations, no model behind it. */
export const scriptedSchema = z.strictObject({
  kind: z.literal('scripted'),
  replies: z.array(scriptedReplySchema),
  /** Begins again at the end instead of failing. */
  repeat: z.boolean().default(false),
  tools: z.boolean().default(true),
  images: z.boolean().optional(),
  strategies: z.array(z.enum(['recipe', 'loop'])).default(['loop']),
  /** Whom it stands for (absent: a local model), and what its tokens cost. */
  where: z.enum(['local', 'cloud']).optional(),
  price: priceSchema.optional(),
});

export const providerSettingsSchema = z.discriminatedUnion('kind', [
  openaiCompatibleSchema,
  openaiSchema,
  anthropicSchema,
  geminiSchema,
  huggingfaceSchema,
  llamaCppSchema,
  ollamaSchema,
  llamaServerSchema,
  scriptedSchema,
]);
export type ProviderSettings = z.infer<typeof providerSettingsSchema>;

/** By the name of a service; a plain record, for names that are none. */
const known: Readonly<Record<string, KnownProvider>> = knownProviders;

/** Services that can be named without an entry in the settings: all that need no address of the user's. */
export const knownProviderNames: readonly string[] = Object.keys(known).filter((name) => name !== 'azure');

/** The settings of a service as it is without an entry; null for a name that is none of ours. */
export function knownProviderSettings(name: string): ProviderSettings | null {
  const service = knownProviderNames.includes(name) ? known[name] : undefined;
  if (service === undefined) return null;
  const { kind, preset } = service;
  return providerSettingsSchema.parse(preset === undefined ? { kind } : { kind, preset });
}

type Keyless = Extract<ProviderSettings, { kind: 'llama-cpp' | 'llama-server' | 'ollama' | 'scripted' }>;

/** Engines of this machine, which no key of a service is for. */
export function isKeyless(settings: ProviderSettings): settings is Keyless {
  return ['llama-cpp', 'llama-server', 'ollama', 'scripted'].includes(settings.kind);
}

/** The environment variable that may hold the key of a provider; null where it needs none. */
export function keyVariableOf(settings: ProviderSettings): string | null {
  if (isKeyless(settings)) return null;
  if (settings.keyVariable !== undefined) return settings.keyVariable;
  const name = settings.kind === 'openai-compatible' ? settings.preset : settings.kind;
  return name === undefined ? null : knownProviders[name].keyVariable;
}

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** What commands of one project get, and how its packages are installed where that is not found out rightly. */
const projectSettingsSchema = z.strictObject({
  env: z.record(variableName, z.string()).default({}),
  /** Taken from Dewpoint's own environment and masked in every output; their values stand in no file. */
  secretEnv: z.array(variableName).default([]),
  /** Commands in place of those that were found, run in a copy of the project. */
  setup: z.strictObject({ python: z.string().optional(), javascript: z.string().optional() }).prefault({}),
  /** Hosts from which packages may come beside those that were found. */
  hosts: z.array(z.string()).default([]),
  /** In place of the usual one; `approval`: of what the project says, where that is where it came from. */
  image: z.strictObject({ name: z.string(), approval: z.string().nullable() }).nullable().default(null),
});

const cap = z.number().nonnegative().nullable().default(null);

/** A price without its source and date: those are the settings, and the day it is used. */
const ownPriceSchema = priceSchema.omit({ source: true, date: true }).strict();

export const routingSettingsSchema = z.strictObject({
  profile: profileSchema.default('balanced'),
  numbers: routingNumbersSchema.partial().default({}),
});

const webSettingsSchema = z.strictObject({
  /** `web_read`: agents may read pages. */
  read: z.boolean().default(false),
  /** `web_search`: the service that agents may search with. */
  search: z.enum(['off', 'searxng', 'brave']).default('off'),
  /** `http_request`: agents may send requests of any method. */
  request: z.boolean().default(false),
  /** The address of your own SearXNG; it may be in your network. */
  searxng: z
    .url({ protocol: /^https?$/, error: 'Use an address that begins with http:// or https://.' })
    .nullable()
    .default(null),
});

export const settingsSchema = z.strictObject({
  version: z.literal(SETTINGS_VERSION).default(SETTINGS_VERSION),
  policy: policySchema.default('local'),
  /** What `hybrid` goes by: a profile, and a person's own numbers in place of some of its. */
  routing: routingSettingsSchema.prefault({}),
  local: z.string().default('llama-cpp/qwen2.5-coder-1.5b-instruct'),
  cloud: z.string().nullable().default(null),
  providers: z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/), providerSettingsSchema).default({}),
  limits: z
    .strictObject({
      maxSteps: z.number().int().positive().default(40),
      maxMinutes: z.number().positive().default(15),
      maxTokens: z.number().int().positive().default(200_000),
    })
    .prefault({}),
  /** Agents that an agent starts, each in a session of its own. */
  agents: z
    .strictObject({
      /** The most of one session and its forks, in sum; 0: agents start none. */
      most: z.number().int().min(0).max(200).default(16),
      atOnce: z.number().int().min(1).max(16).default(4),
    })
    .prefault({}),
  /** Programs that call tools, for models that need no short prompt. `auto`: where tools of others are on. */
  programs: z.enum(['auto', 'on', 'off']).default('auto'),
  /** The model that looks at a program in which the rules found something, before a person is asked. Null: none does. */
  programReviewer: z.string().nullable().default(null),
  sandbox: z
    .strictObject({
      image: z.string().nullable().default(null),
      memoryMb: z.number().int().min(256).default(2048),
      cpus: z.number().positive().nullable().default(null),
      pids: z.number().int().min(64).default(512),
      commandTimeoutSeconds: z.number().positive().default(120),
      /** How long a container engine that is there may take to answer, and one that has gone away to come back. */
      engineWaitSeconds: z.number().min(1).max(3600).default(60),
      /** Files with secrets that commands may see: whole paths, or paths in every project. */
      unmask: z.array(z.string()).default([]),
      /** By the whole path of a project's folder. */
      projects: z.record(z.string(), projectSettingsSchema).default({}),
    })
    .prefault({}),
  approve: approveModeSchema.default('ask'),
  /** Of what a person who looks elsewhere is told: a session that waits for an answer, and the end of a long task. */
  notify: z.enum(['all', 'waits', 'off']).default('all'),
  /** Dewpoint outside of its windows. */
  desktop: z
    .strictObject({
      /** A place in the tray: with it, the app stays when its windows are closed. */
      tray: z.boolean().default(false),
      /** Keys that open a new task from anywhere, such as `CommandOrControl+Shift+Space`. Null: none are taken. */
      askKeys: z.string().min(1).max(60).nullable().default(null),
      /** The text of the clipboard comes along with them. */
      askWithClipboard: z.boolean().default(false),
    })
    .prefault({}),
  /** Models for other programs. `isOn`: the app answers them for as long as it runs. */
  endpoint: z.strictObject({ isOn: z.boolean().default(false) }).prefault({}),
  /** What a person said about the list of projects; see `listProjects`. */
  projects: z
    .strictObject({
      added: z.array(z.string()).default([]),
      removed: z.record(z.string(), z.number()).default({}),
    })
    .prefault({}),
  /** Graphics cards that are not found, or not rightly; they count instead of whatever is found. Bytes. */
  cards: z
    .array(
      z.strictObject({
        name: z.string(),
        totalBytes: z.number().int().positive(),
        freeBytes: z.number().int().nonnegative().optional(),
      }),
    )
    .default([]),
  /** Caps on money in US dollars; null: none. A task's own cap is `--max-usd`. Days and months by this machine's calendar. */
  budget: z
    .strictObject({
      step: cap,
      task: cap,
      session: cap,
      project: cap,
      day: cap,
      month: cap,
      /** Of single projects, by their folder, in place of `project`. */
      projects: z.record(z.string(), z.number().nonnegative()).default({}),
    })
    .prefault({}),
  /** What may leave this machine. */
  fences: fencesSchema.prefault({}),
  /** Files of rules that projects bring along and a person has approved: their SHA-256, by the project's folder. */
  rules: z
    .strictObject({ approved: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)).default({}) })
    .prefault({}),
  /** Servers whose tools agents may call, and what the user said yes to. */
  toolServers: z.record(serverNameSchema, toolServerSchema).default({}),
  /** Which of them, or of their tools, are on or off in single projects: by folder, then by `server` or `server/tool`; a tool from a file is one of `your tools` or `project tools`. */
  projectTools: z.record(z.string(), z.record(z.string().max(300), z.boolean())).default({}),
  /** Tools of the person's own that are switched off, by their names. */
  ownToolsOff: z.array(z.string().max(100)).default([]),
  /** Tools by which agents reach the web, all off without the user's word; each host is asked about. */
  web: webSettingsSchema.prefault({}),
  /** What models of this machine do on battery, when it is hot, and when other programs need the memory. */
  power: powerSettingsSchema.prefault({}),
  /** What this machine draws while a model works, where no meter can be read, and what that costs. */
  energy: z
    .strictObject({
      watts: z.number().positive().nullable().default(null),
      usdPerKwh: z.number().nonnegative().nullable().default(null),
    })
    .prefault({}),
  /** What files are opened in, from the window. */
  editor: z.enum(editorChoices).default('auto'),
  /** Models that a person starred, as `PROVIDER/MODEL`: the picker of a message shows them first. */
  favoriteModels: z.array(z.string().min(1).max(500)).max(200).default([]),
  /** On what the steps of single projects run, by their folder. */
  projectModels: z.record(z.string(), projectModelsSchema).default({}),
  /** A person's own keys in the window, by the id of the action. */
  shortcuts: z.record(z.string(), z.string().min(1).max(40)).default({}),
  /** Prices of a person's own, by `PROVIDER/MODEL`; they go before every other. */
  prices: z.record(z.string(), ownPriceSchema).default({}),
  /** How models are driven, by `PROVIDER/MODEL`; it goes before what their probes found out. */
  models: z
    .record(
      z.string(),
      drivingSchema.extend({
        strategies: z
          .array(z.enum(['recipe', 'loop']))
          .min(1)
          .optional(),
      }),
    )
    .default({}),
  /** Which hosts commands may reach, by a person's word; `projects` by their folder. */
  network: networkRulesSchema.prefault({}),
  /** How services on the net are reached. Without a proxy here, the usual environment variables are heeded. */
  connection: z
    .strictObject({
      proxy: z
        .url({ protocol: /^(https?|socks5?)$/, error: 'Use the address of a proxy: http://HOST:PORT.' })
        .nullable()
        .default(null),
      /** A file with certificates (PEM) that are trusted beside the usual ones. */
      certificates: z.string().nullable().default(null),
    })
    .prefault({}),
});
export type Settings = z.infer<typeof settingsSchema>;
