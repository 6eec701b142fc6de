import { access, constants } from 'node:fs/promises';
import { AppError, messageOf } from '@shared/errors.ts';
import type { RuleFile } from '@shared/rules/rule-report.ts';
import type { ProviderSettings, Settings } from '@shared/settings/settings.ts';
import { knownProviderSettings, settingsSchema } from '@shared/settings/settings.ts';
import type { AvailableModels } from '../models/available-models.ts';
import type { Provider } from '../models/providers/define.ts';
import { openSettings } from '../settings/settings-store.ts';
import { makeFolder, writeProblem } from '../lib/files/json-file.ts';
import { silentDrive, silentFolderHint } from '../lib/files/served-drives.ts';
import { foldersToAsk } from '../lib/programs/program-environment.ts';
import { engineProblems } from '../sandbox/docker/engine/engine-health.ts';
import { unheldLimits } from '../sandbox/docker/engine/engine-limits.ts';
import { engineSearch } from '../sandbox/docker/engine/engine-endpoints.ts';
import { findEngine, type Engine } from '../sandbox/docker/engine/container-engine.ts';
import type { DiskSpace } from '../sandbox/docker/engine/disk-watch.ts';
import { spaceOf, visiblePart } from '../sandbox/docker/engine/engine-disk.ts';
import { usersText } from '../sandbox/docker/user/user-candidates.ts';
import { tiersText } from '../sandbox/sandbox-tiers.ts';
import { preparedServers } from '../sandbox/packages/prepared-servers.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { Finding } from '@shared/contract/home-contract.ts';
import type { KeyReport } from '@shared/contract/keys-contract.ts';
import { needsSeeingEngine, splitModelId } from '@shared/models/model-info.ts';
import type { OwnToolReport } from '@shared/tools/own-tool.ts';
import type { ToolServerReport } from '@shared/tools/server-definition.ts';

export interface SetupCheckInput {
  readonly version: string;
  readonly home: string;
  readonly cache: string;
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly listKeys: () => Promise<KeyReport>;
  /** Of the model files of this machine, those of the built-in engine are listed. */
  readonly models: Pick<AvailableModels, 'servers' | 'show'> & {
    readonly provider: (id: string) => Pick<Provider, 'list'> | null;
  };
  readonly listRules: () => Promise<readonly RuleFile[]>;
  readonly listToolServers: () => Promise<readonly ToolServerReport[]>;
  /** Why a search cannot use this model, in a sentence. Null: nothing is wrong with it. */
  readonly searchModelProblem: (model: string) => Promise<string | null>;
  /** The folders of projects and sessions. */
  readonly listFolders: () => Promise<readonly string[]>;
  readonly listOwnTools: () => Promise<readonly Pick<OwnToolReport, 'name' | 'state' | 'problem'>[]>;
}

/** What works on this machine and what does not. Downloads nothing and starts nothing. */
export async function checkSetup(subject: SetupCheckInput, signal: AbortSignal): Promise<readonly Finding[]> {
  return [
    ...(await base(subject)),
    ...(await silentDrives(subject)),
    ...(await sandbox(subject, signal)),
    ...(await models(subject, signal)),
    ...(await images(subject, signal)),
    ...(await search(subject)),
    ...(await servers(subject, signal)),
    ...(await keys(subject)),
    ...(await toolServers(subject)),
    ...(await ownTools(subject)),
    ...(await rules(subject)),
    ...(await languageServers(subject, signal)),
  ];
}

/** The same without a core, for a home whose settings cannot be read. The sandbox is looked for as by default. */
export async function checkBrokenSettings(
  subject: Pick<SetupCheckInput, 'version' | 'home' | 'cache' | 'env'>,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const text = 'models, servers, keys and rules are not checked while the settings cannot be read';
  return [
    ...(await base(subject)),
    ...(await sandbox({ env: subject.env, settings: settingsSchema.parse({}) }, signal)),
    { area: 'others', status: 'warning', text, hint: null },
  ];
}

async function base({ version, home, cache }: Pick<SetupCheckInput, 'version' | 'home' | 'cache'>) {
  const text = `${version} on Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  const program: Finding = { area: 'dewpoint', status: 'ok', text, hint: null };
  return [program, await folder('home', home), await folder('cache', cache), ...(await brokenSettings(home))];
}

/** Drives of other machines or programs that hold a project, or a folder of programs, and do not answer. */
async function silentDrives({ env, listFolders }: SetupCheckInput): Promise<readonly Finding[]> {
  const named = [...foldersToAsk({ env, platform: process.platform }), ...(await listFolders())];
  const silent = await Promise.all(named.map((folder) => silentDrive(folder)));
  return [...new Set(silent.filter((drive) => drive !== null))].map((drive) => ({
    area: 'drive',
    status: 'warning',
    text: `${drive} does not answer. Projects there wait, and programs there are not found; everything else works.`,
    hint: silentFolderHint,
  }));
}

/** A core that is open goes on with what it read, but none starts. Empty: the file is right, or there is none. */
async function brokenSettings(home: string): Promise<readonly Finding[]> {
  const read = await openSettings(home);
  if (read.ok) return [];
  return [{ area: 'settings', status: 'missing', text: read.error.message, hint: read.error.hint ?? null }];
}

async function folder(area: string, path: string): Promise<Finding> {
  try {
    await makeFolder(path);
    await access(path, constants.W_OK);
    return room(area, path, await spaceOf(path));
  } catch (error) {
    const text = `${path} cannot be written: ${writeProblem(error)}`;
    const variable = area === 'home' ? 'DEWPOINT_HOME' : 'DEWPOINT_CACHE';
    return { area, status: 'missing', text, hint: `Make it writable, or set ${variable} to another folder.` };
  }
}

function room(area: string, name: string, { free }: DiskSpace): Finding {
  const text = `${name}, ${sizeText(free)} free`;
  if (free >= 2e9) return { area, status: 'ok', text, hint: null };
  return { area, status: 'warning', text, hint: 'A starter model and a sandbox image take about 2 GB.' };
}

/** The space where images, packages and files of containers are stored. */
async function engineRoom({ rootFolder, desktop }: Engine): Promise<Finding> {
  const path = rootFolder === null || desktop !== null ? null : await visiblePart(rootFolder);
  if (path !== null) return room('engine', `images and volumes in ${rootFolder ?? path}`, await spaceOf(path));
  const text = 'images and volumes are in a virtual machine; its space is checked while commands run';
  return { area: 'engine', status: 'ok', text, hint: null };
}

async function sandbox(
  subject: Pick<SetupCheckInput, 'env' | 'settings'>,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const search = engineSearch(subject.env, subject.settings.sandbox);
  const found = await findEngine(search, signal);
  if (!found.ok) {
    const missing: Finding = {
      area: 'sandbox',
      status: 'missing',
      text: found.error.message,
      hint: found.error.hint ?? null,
    };
    return [missing, { area: 'tiers', status: 'warning', ...tiersText(null) }];
  }
  const { kind, version, apiVersion, containerd, runc, endpoint, limits } = found.value;
  const desktop = found.value.desktop?.version ?? null;
  const others = Object.entries({ containerd, runc, 'Docker Desktop': desktop });
  const known = others.flatMap(([name, one]) => (one === null ? [] : [`${name} ${one}`]));
  const parts = [`${kind} ${version} (interface ${apiVersion})`, ...known].join(', ');
  const unheld = unheldLimits(limits);
  const users = usersText(found.value);
  const problems = engineProblems({ kind, engine: version, containerd, runc, desktop });
  return [
    {
      area: 'sandbox',
      status: unheld.length === 0 ? 'ok' : 'warning',
      text: `container: ${parts} at ${endpoint}. ${users}`,
      hint: unheld.length === 0 ? null : `It cannot limit: ${unheld.join(', ')}.`,
    },
    await engineRoom(found.value),
    { area: 'tiers', status: 'ok', ...tiersText(found.value) },
    ...problems.map((text): Finding => ({ area: 'sandbox', status: 'warning', text, hint: engineHint })),
  ];
}

const engineHint =
  'Update your container engine. Your distribution may have the fix in an older version: see its changelog.';

/** The models that may work: those of the order and no other, else the local and the cloud model. */
async function models(subject: SetupCheckInput, signal: AbortSignal): Promise<readonly Finding[]> {
  const all = usedModels(subject.settings);
  return Promise.all(all.map(async ([area, id]) => model(area, id, subject, signal)));
}

/** The models that the settings name, each with its part. */
export function usedModels(
  settings: Pick<Settings, 'local' | 'cloud' | 'modelOrder'>,
): readonly (readonly [area: string, id: string])[] {
  const { local, cloud, modelOrder } = settings;
  const pair = [['local', local] as const, ...(cloud === null ? [] : [['cloud', cloud] as const])];
  return modelOrder?.map((id) => ['model', id] as const) ?? pair;
}

async function model(area: string, id: string, subject: SetupCheckInput, signal: AbortSignal): Promise<Finding> {
  try {
    const entry = await subject.models.show(id, false, signal);
    if (entry.state === 'ready') return { area, status: 'ok', text: `${id} is ready`, hint: null };
    if (entry.state === 'downloadable')
      return { area, status: 'missing', text: `${id} is not on this machine`, hint: `dewpoint models pull ${id}` };
    const text = entry.note === null ? `${id} cannot be reached` : `${id} cannot be reached: ${entry.note}`;
    const isCloud = entry.where === 'cloud';
    const hint = isCloud ? `dewpoint keys set ${splitModelId(id)?.provider ?? id}` : 'dewpoint models list';
    return { area, status: 'missing', text, hint };
  } catch (error) {
    const hint = (error instanceof AppError ? error.hint : undefined) ?? 'dewpoint models list';
    return { area, status: 'missing', text: messageOf(error), hint };
  }
}

/** Models with a projector that nothing uses, because the engine that sees with it is not set up. */
async function images({ settings, models: known }: SetupCheckInput, signal: AbortSignal): Promise<readonly Finding[]> {
  const blind = ((await known.provider('llama-cpp')?.list(signal)) ?? []).filter((info) =>
    needsSeeingEngine(info, settings.providers),
  );
  if (blind.length === 0) return [];
  const text = `${blind.map(({ id }) => seenName(id)).join(', ')} would see images with your own llama-server, which is not set up`;
  const hint = `dewpoint settings set providers.llama-server '{"kind": "llama-server"}'`;
  return [{ area: 'images', status: 'warning', text, hint }];
}

/** The model that the settings name for a search by meaning. Nothing is asked of it. */
async function search({ settings, searchModelProblem }: SetupCheckInput): Promise<readonly Finding[]> {
  const text = await searchModelProblem(settings.searchModel);
  if (text === null) return [];
  return [{ area: 'search', status: 'warning', text, hint: 'dewpoint settings set searchModel auto' }];
}

/** Model servers that run on this machine, or should. */
async function servers({ models: known }: SetupCheckInput, signal: AbortSignal): Promise<readonly Finding[]> {
  return (await known.servers(signal)).map(({ provider, text, complaint, isRunning }): Finding => {
    if (!isRunning)
      return {
        area: provider,
        status: 'missing',
        text,
        hint: 'Start it, or choose other models: dewpoint models list',
      };
    return { area: provider, status: complaint === null ? 'ok' : 'warning', text, hint: complaint };
  });
}

/** The configured services, and whether each has a key. Never returns a key, and asks no service. */
async function keys({ settings, listKeys }: SetupCheckInput): Promise<readonly Finding[]> {
  const report = await listKeys();
  const place: Finding =
    report.store.type === 'ready'
      ? { area: 'key store', status: 'ok', text: "keys are kept in your system's key store", hint: null }
      : { area: 'key store', status: 'warning', text: report.store.message, hint: report.store.hint };
  const found = report.keys.flatMap(({ provider, source, variable }): Finding[] => {
    if (!(provider in settings.providers)) return [];
    if (source !== null)
      return [{ area: 'key', status: 'ok', text: `${provider} has a key (${from(source, variable)})`, hint: null }];
    const own = settings.providers[provider];
    if (own?.kind === 'openai-compatible' && variable === null) return [];
    return [{ area: 'key', status: 'warning', text: `${provider} has no key`, hint: `dewpoint keys set ${provider}` }];
  });
  const unused = report.keys.flatMap(({ provider, source, variable }): Finding[] => {
    const service = knownProviderSettings(provider);
    if (service === null || source === null || provider in settings.providers) return [];
    const text = `${provider} is not set up, but has a key (${from(source, variable)}): ${provider}/MODEL can be used as a cloud model`;
    const hint = `To list its models: dewpoint settings set providers.${provider} '${JSON.stringify(entryOf(service))}'`;
    return [{ area: 'key', status: 'ok', text, hint }];
  });
  return [place, ...found, ...unused];
}

/** Each tool server, by what is known of it. None is started. */
async function toolServers({ listToolServers }: SetupCheckInput): Promise<readonly Finding[]> {
  return (await listToolServers()).map((server): Finding => {
    const name = seenName(server.name);
    const finding = (status: Finding['status'], text: string, hint: string | null): Finding => ({
      area: 'tools',
      status,
      text: `${name} ${text}`,
      hint,
    });
    switch (server.state) {
      case 'not-approved':
        return finding('warning', 'waits for your approval', `dewpoint tools approve ${name}`);
      case 'off':
        return finding('ok', 'is switched off', null);
      case 'sign-in':
        return finding('warning', 'needs your sign-in', `dewpoint tools sign-in ${name}`);
      case 'failed':
        return finding(
          'missing',
          `failed: ${server.problem ?? 'the reason is unknown'}`,
          `dewpoint tools test ${name}`,
        );
      case 'no-tools':
      case 'idle':
      case 'running':
        return readyServer(server, finding);
    }
  });
}

function readyServer(
  { name, tools, problem }: ToolServerReport,
  finding: (status: Finding['status'], text: string, hint: string | null) => Finding,
): Finding {
  if (problem !== null) return finding('warning', `is set up, but: ${problem}`, `dewpoint tools show ${name}`);
  const ready = tools.filter(({ state }) => state === 'ready').length;
  const waiting = tools.filter(({ state }) => state === 'new' || state === 'changed').length;
  const hint = `dewpoint tools approve ${name}`;
  if (waiting > 0) return finding('warning', `has ${toolCount(ready)}, and ${waiting} wait for your approval`, hint);
  return ready > 0 ? finding('ok', `has ${toolCount(ready)}`, null) : finding('warning', 'has no approved tool', hint);
}

const toolCount = (count: number): string => (count === 1 ? '1 tool' : `${count} tools`);

/** The user's own tools. Those of a project are listed with the project. */
async function ownTools({ listOwnTools }: SetupCheckInput): Promise<readonly Finding[]> {
  const all = await listOwnTools();
  const ready = all.filter(({ state }) => state === 'ready').map(({ name }) => seenName(name));
  const broken = all.flatMap(({ name, state, problem }): Finding[] =>
    state === 'broken'
      ? [
          {
            area: 'own tools',
            status: 'warning',
            text: `${seenName(name)} is broken: ${problem ?? 'its file cannot be read'}`,
            hint: `dewpoint tools show ${seenName(name)}`,
          },
        ]
      : [],
  );
  if (ready.length === 0) return broken;
  return [{ area: 'own tools', status: 'ok', text: `found: ${ready.join(', ')}`, hint: null }, ...broken];
}

/** What `projects prepare --language-servers` installed. What an image has shows when a session starts. */
async function languageServers({ settings }: SetupCheckInput, signal: AbortSignal): Promise<readonly Finding[]> {
  return (await preparedServers(settings.sandbox.projects, signal)).map(({ projectPath, servers: names }): Finding => {
    const path = seenName(projectPath);
    if (names !== null) return { area: 'languages', status: 'ok', text: `${path} has ${names.join(', ')}`, hint: null };
    return { area: 'languages', status: 'warning', text: `${path} cannot be read`, hint: null };
  });
}

/** The user's own rules. A project's rules are checked with the project. */
async function rules({ listRules }: SetupCheckInput): Promise<readonly Finding[]> {
  return (await listRules()).flatMap(({ path, rules: found, problems, warnings, holds }): Finding[] => {
    const hint = `Fix ${path}. Run \`dewpoint rules check\` to see the line.`;
    const broken = problems.map((text): Finding => ({
      area: 'rules',
      status: holds === 'shut' ? 'missing' : 'warning',
      text,
      hint,
    }));
    const odd = warnings.map(({ line, text }): Finding => ({
      area: 'rules',
      status: 'warning',
      text: `Line ${line} of ${path}: ${text}`,
      hint: null,
    }));
    const count = found.length === 1 ? '1 rule' : `${found.length} rules`;
    if (broken.length > 0 || holds === 'none') return [...broken, ...odd];
    return [{ area: 'rules', status: 'ok', text: `${count} of your own, in ${path}`, hint: null }, ...odd];
  });
}

function from(source: 'environment' | 'this-run' | 'store', variable: string | null): string {
  if (source === 'environment') return `from ${variable ?? 'the environment'}`;
  return source === 'store' ? 'in the key store' : 'for this run';
}

/** The smallest entry that the settings need for this service. */
function entryOf(service: ProviderSettings): object {
  if (service.kind !== 'openai-compatible') return { kind: service.kind };
  return { kind: service.kind, preset: service.preset };
}
