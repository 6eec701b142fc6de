import { z } from 'zod';
import { runLimitsSchema } from '@shared/session/run-limits.ts';
import { fencesSchema } from '@shared/safety/fences.ts';
import { networkRulesSchema } from '@shared/safety/network-access.ts';
import { drivingSchema, effortSchema, strategySchema } from '@shared/models/model-info.ts';
import { chosenWaysSchema } from '@shared/routing/kind-ways.ts';
import { powerSettingsSchema } from '@shared/models/machine-strain.ts';
import { currencySchema } from '@shared/money/currency-schema.ts';
import { priceSchema } from '@shared/money/token-cost.ts';
import { projectModelsSchema } from '@shared/projects/project-models.ts';
import { projectChoicesSchema } from '@shared/projects/project-record.ts';
import type { KnownProvider } from '@shared/models/known-providers.ts';
import { knownProviders } from '@shared/models/known-providers.ts';
import { serverNameSchema, toolServerSchema } from '@shared/tools/server-definition.ts';
import { searchModelSchema } from '@shared/documents/document-search.ts';
import { editorChoices } from './known-editors.ts';
import { memoryProposalModes } from '@shared/projects/memory-proposal.ts';
import { policySchema, profileSchema, routingNumbersSchema } from '@shared/routing/routing.ts';
import { approveModeSchema } from '@shared/safety/approval-grants.ts';

export const SETTINGS_VERSION = 1;

/** What the user knows better about a model than its service says. */
const modelSettingsSchema = z.strictObject({
  price: priceSchema.optional(),
  context: z.number().int().positive().optional(),
  /** The longest answer in tokens that the loop requests. */
  output: z.number().int().min(256).optional(),
  parametersB: z.number().positive().optional(),
  tools: z.boolean().optional(),
  images: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  effort: effortSchema.optional(),
  strategies: z.array(z.enum(['recipe', 'loop'])).optional(),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** How long an answer may take to begin, because a slow server reads a long prompt for many minutes. Absent: 300. */
const firstWordSeconds = z.number().int().min(10).max(3600).optional();

/** `localhost:1234` is an address to `URL`, with a scheme of its own, so the scheme is checked. */
const webAddress = z.url({
  protocol: /^https?$/,
  error: 'Begin the address with http:// or https://, such as http://localhost:1234/v1.',
});

const providerShape = {
  label: z.string().optional(),
  /** The environment variable that holds the key, if there is one. It is read and never written. */
  keyVariable: z.string().optional(),
  /** How hard its models should think, unless a model has its own setting. */
  effort: effortSchema.optional(),
  firstWordSeconds,
  models: z.record(z.string(), modelSettingsSchema).default({}),
};

const ownDrivingSchema = drivingSchema.extend({
  strategies: z.array(strategySchema).min(1).optional(),
  /** The context of a model file, in tokens, as far as it fits. It comes before that of the provider. */
  contextTokens: z.number().int().min(1_024).optional(),
});

/** Services and servers that speak Chat Completions, each with its own variations. */
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

/** A configured endpoint that speaks Chat Completions. This never holds its key. */
export const openaiCompatibleSchema = z
  .strictObject({
    kind: z.literal('openai-compatible'),
    preset: presetSchema.optional(),
    /** Required without a preset. With a preset, it replaces the usual address. */
    baseUrl: webAddress.optional(),
    /** `local`: a server on this machine that costs nothing per token. Absent: as the preset says, else `cloud`. */
    where: z.enum(['local', 'cloud']).optional(),
    /** Whether its models see pictures, where neither the service nor an entry of the model says so. */
    images: z.boolean().optional(),
    ...providerShape,
  })
  .refine((value) => value.baseUrl !== undefined || (value.preset !== undefined && value.preset !== 'azure'), {
    message: 'It needs a baseUrl, or a preset that knows one.',
    path: ['baseUrl'],
  });

export const openaiSchema = z.strictObject({
  kind: z.literal('openai'),
  baseUrl: webAddress.default('https://api.openai.com/v1'),
  ...providerShape,
});

export const anthropicSchema = z.strictObject({
  kind: z.literal('anthropic'),
  baseUrl: webAddress.default('https://api.anthropic.com'),
  ...providerShape,
});

export const geminiSchema = z.strictObject({
  kind: z.literal('gemini'),
  baseUrl: webAddress.default('https://generativelanguage.googleapis.com/v1beta'),
  ...providerShape,
});

export const huggingfaceSchema = z.strictObject({
  kind: z.literal('huggingface'),
  baseUrl: webAddress.default('https://router.huggingface.co/v1'),
  ...providerShape,
});

export const llamaCppSchema = z.strictObject({
  kind: z.literal('llama-cpp'),
  contextTokens: z.number().int().positive().optional(),
  threads: z.number().int().positive().optional(),
  gpu: z.enum(['auto', 'off']).default('auto'),
  /** Minutes without a call after which a model is unloaded; null: never. Absent: 15. */
  unloadAfterMinutes: z.number().positive().nullable().optional(),
});

/** Local model files in the installed `llama-server`, which Dewpoint starts and stops. */
export const llamaServerSchema = z.strictObject({
  kind: z.literal('llama-server'),
  firstWordSeconds,
  /** The program to start. Absent: searched for in the search path and the usual places. */
  program: z.string().min(1).optional(),
  contextTokens: z.number().int().positive().optional(),
  threads: z.number().int().positive().optional(),
  gpu: z.enum(['auto', 'off']).default('auto'),
  /**
   * How tokens are drafted ahead. `auto`: the way that a probe found faster here, if any. `lookup`: from the
   * conversation. `mtp`: by the model's own extra layers. Otherwise the name of a smaller model that drafts.
   */
  drafts: z
    .string()
    .regex(/^(?:auto|off|lookup|mtp|llama-cpp\/.+)$/, 'It is auto, off, lookup, mtp or llama-cpp/NAME.')
    .default('auto'),
  /** Minutes without a call after which the server is stopped; null: never. */
  unloadAfterMinutes: z.number().positive().nullable().default(15),
});
export type LlamaServerSettings = z.infer<typeof llamaServerSchema>;

/** The user's own server that speaks Ollama's API. */
export const ollamaSchema = z.strictObject({
  kind: z.literal('ollama'),
  /** Absent: from OLLAMA_HOST, else the usual address on this machine. */
  baseUrl: webAddress.optional(),
  /** Absent: as much as is useful and fits. */
  contextTokens: z.number().int().positive().optional(),
  /** If it is installed here but does not run, Dewpoint starts it, and stops it when Dewpoint ends. */
  start: z.boolean().default(false),
  /** The program to start. Absent: searched for in the search path and the usual places. */
  program: z.string().min(1).optional(),
  /** How long a model stays in memory after a call. 0: until the end of the session that used it. */
  keepAliveMinutes: z.number().int().nonnegative().max(1440).default(5),
  firstWordSeconds,
  models: z.record(z.string(), modelSettingsSchema).default({}),
});
export type OllamaSettings = z.infer<typeof ollamaSchema>;

/** One answer of a scripted model: text, tool calls or a failure. Each call gets the next one. */
const scriptedReplySchema = z.strictObject({
  text: z.string().optional(),
  toolCalls: z.array(z.strictObject({ name: z.string(), input: z.unknown() })).optional(),
  error: z.string().optional(),
  delayMs: z.number().nonnegative().optional(),
});

/** Plays back prepared answers, for tests and recorded demonstrations. There is no model behind it. */
export const scriptedSchema = z.strictObject({
  kind: z.literal('scripted'),
  replies: z.array(scriptedReplySchema),
  /** Starts again after the last answer instead of failing. */
  repeat: z.boolean().default(false),
  tools: z.boolean().default(true),
  images: z.boolean().optional(),
  strategies: z.array(z.enum(['recipe', 'loop'])).default(['loop']),
  /** Which kind of model it imitates (absent: a local one), and what its tokens cost. */
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

/** Engines on this machine that need no entry in the settings. */
export const builtInProviders: Readonly<Record<string, ProviderSettings>> = {
  'llama-cpp': { kind: 'llama-cpp', gpu: 'auto' },
  ollama: { kind: 'ollama', start: false, keepAliveMinutes: 5, models: {} },
};

/** Typed as a plain record, so that unknown names can be looked up. */
const known: Readonly<Record<string, KnownProvider>> = knownProviders;

/** Services that can be named without an entry in the settings: all that need no address from the user. */
export const knownProviderNames: readonly string[] = Object.keys(known).filter((name) => name !== 'azure');

/** The settings of a known service without an entry; null for an unknown name. */
export function knownProviderSettings(name: string): ProviderSettings | null {
  const service = knownProviderNames.includes(name) ? known[name] : undefined;
  if (service === undefined) return null;
  const { kind, preset } = service;
  return providerSettingsSchema.parse(preset === undefined ? { kind } : { kind, preset });
}

type Keyless = Extract<ProviderSettings, { kind: 'llama-cpp' | 'llama-server' | 'ollama' | 'scripted' }>;

/** Engines on this machine, which need no key. */
export function isKeyless(settings: ProviderSettings): settings is Keyless {
  return ['llama-cpp', 'llama-server', 'ollama', 'scripted'].includes(settings.kind);
}

/** The environment variable that may hold a provider's key; null when it needs none. */
export function keyVariableOf(settings: ProviderSettings): string | null {
  if (isKeyless(settings)) return null;
  if (settings.keyVariable !== undefined) return settings.keyVariable;
  const name = settings.kind === 'openai-compatible' ? settings.preset : settings.kind;
  return name === undefined ? null : knownProviders[name].keyVariable;
}

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** Environment of one project's commands, and corrections to how its packages are installed. */
const projectSettingsSchema = z.strictObject({
  env: z.record(variableName, z.string()).default({}),
  /** Names only. The values come from Dewpoint's own environment, are masked in every output, and are in no file. */
  secretEnv: z.array(variableName).default([]),
  /** Commands that replace the detected ones. They run in a copy of the project. */
  setup: z
    .strictObject({
      python: z.string().optional(),
      javascript: z.string().optional(),
      /** Language servers are installed, too. */
      languageServers: z.boolean().optional(),
    })
    .prefault({}),
  /** The command that runs the project's tests; null: the one that is found. */
  testCommand: z.string().trim().min(1).max(1_000).nullable().default(null),
  /** Hosts that packages may come from, besides the detected ones. */
  hosts: z.array(z.string()).default([]),
  /** Replaces the general image. `approval`: of the project's definition, if the image was made from it. */
  image: z.strictObject({ name: z.string(), approval: z.string().nullable() }).nullable().default(null),
});

const cap = z.number().nonnegative().nullable().default(null);

/** A price without source and date: the source is the settings, and the date is the day of use. */
const ownPriceSchema = priceSchema.omit({ source: true, date: true }).strict();

export const routingSettingsSchema = z.strictObject({
  profile: profileSchema.default('balanced'),
  numbers: routingNumbersSchema.partial().default({}),
});

const webSettingsSchema = z.strictObject({
  /** `web_read`: lets agents read pages. */
  read: z.boolean().default(false),
  /** `web_search`: the service that agents may search with. */
  search: z.enum(['off', 'searxng', 'brave']).default('off'),
  /** `http_request`: lets agents send requests with any method. */
  request: z.boolean().default(false),
  /** The address of your own SearXNG. It may be in your network. */
  searxng: z
    .url({ protocol: /^https?$/, error: 'Use an address that begins with http:// or https://.' })
    .nullable()
    .default(null),
});

export const settingsSchema = z.strictObject({
  version: z.literal(SETTINGS_VERSION).default(SETTINGS_VERSION),
  policy: policySchema.default('local'),
  /** What `hybrid` uses: a profile, with the user's own numbers replacing some of its numbers. */
  routing: routingSettingsSchema.prefault({}),
  local: z.string().default('llama-cpp/qwen2.5-coder-1.5b-instruct'),
  cloud: z.string().nullable().default(null),
  /** Every model that may work on a task, the smallest first. Absent: `local`, then `cloud`. */
  modelOrder: z
    .array(z.string().min(1), { error: 'it must be a list of models, such as ["ollama/qwen3:8b", "openai/gpt-5"]' })
    .max(12)
    .readonly()
    .optional(),
  providers: z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/), providerSettingsSchema).default({}),
  limits: z
    .strictObject({
      maxSteps: runLimitsSchema.shape.maxSteps.default(40),
      maxMinutes: runLimitsSchema.shape.maxMinutes.default(15),
      maxTokens: runLimitsSchema.shape.maxTokens.default(200_000),
      maxCalls: z.number().int().positive().default(400),
    })
    .prefault({}),
  /** Child agents, each in a session of its own. */
  agents: z
    .strictObject({
      /** The most children of a session and its forks together. 0: agents start no children. */
      most: z.number().int().min(0).max(200).default(16),
      atOnce: z.number().int().min(1).max(16).default(4),
    })
    .prefault({}),
  /** Programs that call tools, for models that need no short prompt. `auto`: on when connected tools are on. */
  programs: z.enum(['auto', 'on', 'off']).default('auto'),
  /** Lets talks without a project run Python in a sandbox. */
  calculate: z.boolean().default(false),
  /** The model that reviews a program before the user is asked, if the rules found something. Null: none. */
  programReviewer: z.string().nullable().default(null),
  sandbox: z
    .strictObject({
      image: z.string().nullable().default(null),
      memoryMb: z.number().int().min(256).default(2048),
      cpus: z.number().positive().nullable().default(null),
      pids: z.number().int().min(64).default(512),
      commandTimeoutSeconds: z.number().positive().default(120),
      /** How long a container engine may take to answer, or to come back after it went away. */
      engineWaitSeconds: z.number().min(1).max(3600).default(60),
      /** Files with secrets that commands may see: full paths, or paths in every project. */
      unmask: z.array(z.string()).default([]),
      /** By the full path of a project's folder. */
      projects: z.record(z.string(), projectSettingsSchema).default({}),
    })
    .prefault({}),
  approve: approveModeSchema.default('ask'),
  /** News for a user who is looking elsewhere: a session that waits for an answer, and the end of a long task. */
  notify: z.enum(['all', 'waits', 'off']).default('all'),
  /** Dewpoint outside its windows. */
  desktop: z
    .strictObject({
      /** An icon in the tray. With it, the app keeps running when its windows are closed. */
      tray: z.boolean().default(false),
      /** A global shortcut that opens a new task, such as `CommandOrControl+Shift+Space`. Null: none. */
      askKeys: z.string().min(1).max(60).nullable().default(null),
      /** The shortcut also takes the text of the clipboard along. */
      askWithClipboard: z.boolean().default(false),
    })
    .prefault({}),
  /** Models for other programs. `isOn`: the app answers them as long as it runs. */
  endpoint: z.strictObject({ isOn: z.boolean().default(false) }).prefault({}),
  /** The user's changes to the list of projects (see `listProjects`), and what the user says about them. */
  projects: projectChoicesSchema.prefault({}),
  /** Graphics cards, for machines where they are not detected correctly. They replace the detected ones. In bytes. */
  cards: z
    .array(
      z.strictObject({
        name: z.string(),
        totalBytes: z.number().int().positive(),
        freeBytes: z.number().int().nonnegative().optional(),
      }),
    )
    .default([]),
  /**
   * Spending limits in US dollars; null: none. `--max-usd` sets one for a task. Days and months use this machine's
   * calendar.
   */
  budget: z
    .strictObject({
      step: cap,
      task: cap,
      session: cap,
      project: cap,
      day: cap,
      month: cap,
      /** Limits of single projects, by folder. They replace `project`. */
      projects: z.record(z.string(), z.number().nonnegative()).default({}),
    })
    .prefault({}),
  /** What may leave this machine. */
  fences: fencesSchema.prefault({}),
  /** The projects' rules files that the user approved: SHA-256 by the project's folder. */
  rules: z
    .strictObject({ approved: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)).default({}) })
    .prefault({}),
  /** Servers whose tools agents may call, and what the user approved. */
  toolServers: z.record(serverNameSchema, toolServerSchema).default({}),
  /**
   * Servers and tools that are on or off in single projects: by folder, then by `server` or `server/tool`. Tools from
   * files belong to `your tools` or `project tools`.
   */
  projectTools: z.record(z.string(), z.record(z.string().max(300), z.boolean())).default({}),
  /** The user's own tools that are switched off, by name. */
  ownToolsOff: z.array(z.string().max(100)).default([]),
  /** Whether agents may propose lines for the memory. `auto`: where there is a line already. */
  memoryProposals: z.enum(memoryProposalModes).default('auto'),
  searchModel: searchModelSchema.default('auto'),
  /** Skills that are switched off, by name. */
  skillsOff: z.array(z.string().max(100)).default([]),
  /** Tools that let agents reach the web. All are off by default, and the user is asked about each host. */
  web: webSettingsSchema.prefault({}),
  /** What local models do on battery, when the machine is hot, and when other programs need the memory. */
  power: powerSettingsSchema.prefault({}),
  /** The watts that this machine uses while a model works, if no meter can be read, and the prices of power and machine. */
  energy: z
    .strictObject({
      watts: z.number().positive().nullable().default(null),
      usdPerKwh: z.number().nonnegative().nullable().default(null),
      hardwareUsd: z.number().positive().nullable().default(null),
    })
    .prefault({}),
  /** The currency that costs are shown in beside US dollars. Limits and prices stay in dollars. Null: dollars alone. */
  money: z.strictObject({ currency: currencySchema.nullable().default(null) }).prefault({}),
  /** The editor that the window opens files in. */
  editor: z.enum(editorChoices).default('auto'),
  /** The user's starred models, as `PROVIDER/MODEL`. The model picker shows them first. */
  favoriteModels: z.array(z.string().min(1).max(500)).max(200).default([]),
  /** The models and policies of single projects, by folder. */
  projectModels: z.record(z.string(), projectModelsSchema).default({}),
  /** The ways that the user chose for kinds of tasks. */
  kindWays: chosenWaysSchema.prefault({}),
  /** Folders outside single projects that are searched with them, by the project's folder. */
  projectFolders: z.record(z.string(), z.array(z.string())).default({}),
  /** The user's own shortcuts in the window, by the id of the action. */
  shortcuts: z.record(z.string(), z.string().min(1).max(40)).default({}),
  /** The user's own prices, by `PROVIDER/MODEL`. They override all others. */
  prices: z.record(z.string(), ownPriceSchema).default({}),
  /** How models are driven, by `PROVIDER/MODEL`. This overrides what their probes found. */
  models: z.record(z.string(), ownDrivingSchema).default({}),
  /** The hosts that commands may reach; `projects` by folder. */
  network: networkRulesSchema.prefault({}),
  /** How services on the internet are reached. Without a proxy here, the usual environment variables apply. */
  connection: z
    .strictObject({
      proxy: z
        .url({ protocol: /^(https?|socks5?)$/, error: 'Use the address of a proxy: http://HOST:PORT.' })
        .nullable()
        .default(null),
      /** A file with certificates (PEM) that are trusted besides the usual ones. */
      certificates: z.string().nullable().default(null),
    })
    .prefault({}),
});
export type Settings = z.infer<typeof settingsSchema>;
