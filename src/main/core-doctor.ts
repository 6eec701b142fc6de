import { access, constants, mkdir, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Finding, ModelEntry } from '@shared/contract.ts';
import { messageOf } from '@shared/errors.ts';
import type { Settings } from '@shared/settings.ts';
import { findEngine } from './sandbox/docker/engine.ts';

export interface DoctorSubject {
  readonly version: string;
  readonly home: string;
  readonly cache: string;
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly showModel: (id: string, signal: AbortSignal) => Promise<ModelEntry>;
}

/** What works on this machine and what does not. Fetches nothing, starts nothing. */
export async function examine(subject: DoctorSubject, signal: AbortSignal): Promise<readonly Finding[]> {
  return [
    {
      area: 'dewpoint',
      status: 'ok',
      text: `${subject.version} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
      hint: null,
    },
    await folder('home', subject.home),
    await folder('cache', subject.cache),
    await sandbox(subject, signal),
    await model('local', subject.settings.local, subject, signal),
    ...(subject.settings.cloud === null ? [] : [await model('cloud', subject.settings.cloud, subject, signal)]),
    ...keys(subject),
  ];
}

async function folder(area: string, path: string): Promise<Finding> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.W_OK);
    const { bavail, bsize } = await statfs(path);
    const freeGb = (bavail * bsize) / 1e9;
    const text = `${path}, ${freeGb.toFixed(1)} GB free`;
    if (freeGb >= 2) return { area, status: 'ok', text, hint: null };
    return { area, status: 'warning', text, hint: 'A starter model and a sandbox image take about 2 GB.' };
  } catch (error) {
    return { area, status: 'missing', text: `${path} cannot be written: ${messageOf(error)}`, hint: null };
  }
}

async function sandbox(subject: DoctorSubject, signal: AbortSignal): Promise<Finding> {
  const search = { env: subject.env, homeDirectory: homedir(), platform: process.platform };
  const engine = await findEngine(search, signal);
  if (!engine.ok) {
    return { area: 'sandbox', status: 'missing', text: engine.error.message, hint: engine.error.hint ?? null };
  }
  const { kind, version, endpoint, limits } = engine.value;
  const text = `${kind} ${version} at ${endpoint}`;
  const unheld = Object.entries(limits)
    .filter(([, isHeld]) => !isHeld)
    .map(([name]) => name);
  if (unheld.length === 0) return { area: 'sandbox', status: 'ok', text, hint: null };
  return { area: 'sandbox', status: 'warning', text, hint: `It cannot limit: ${unheld.join(', ')}.` };
}

async function model(area: string, id: string, subject: DoctorSubject, signal: AbortSignal): Promise<Finding> {
  try {
    const entry = await subject.showModel(id, signal);
    if (entry.state === 'ready') return { area, status: 'ok', text: `${id} is ready`, hint: null };
    return { area, status: 'missing', text: `${id} is not on this machine`, hint: `dewpoint models pull ${id}` };
  } catch (error) {
    return { area, status: 'missing', text: messageOf(error), hint: 'dewpoint models list' };
  }
}

/** Only whether a key is set; never the key. */
function keys({ settings, env }: DoctorSubject): readonly Finding[] {
  return Object.entries(settings.providers).flatMap(([id, provider]): Finding[] => {
    if (provider.kind !== 'openai-compatible' || provider.keyVariable === undefined) return [];
    const isSet = env[provider.keyVariable] !== undefined;
    const text = `${id}: ${provider.keyVariable} is ${isSet ? 'set' : 'not set'}`;
    return [{ area: 'key', status: isSet ? 'ok' : 'warning', text, hint: null }];
  });
}
