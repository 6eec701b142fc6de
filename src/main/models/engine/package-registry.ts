import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostPrograms, Program } from '../../lib/programs/host-programs.ts';
import { orNoted } from '../../lib/log.ts';

/** The package registry of npm on the machine that built this program. */
declare const __PACKAGE_REGISTRY__: string;

export interface PackageRegistryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder, which contains `.npmrc`. */
  readonly homeFolder: string;
  readonly programs: HostPrograms;
  /** Null if there is none: the packaged program may run on a machine without npm. */
  readonly npm: () => Promise<Program | null>;
}

/**
 * The address of the registry, without a trailing slash: from the user's npm settings, from npm itself, or from the
 * build. Null: none of them has one.
 */
export async function packageRegistry(options: PackageRegistryOptions, signal: AbortSignal): Promise<string | null> {
  const { env } = options;
  const set = env['npm_config_registry'] ?? env['NPM_CONFIG_REGISTRY'] ?? '';
  const person = env['npm_config_userconfig'] ?? env['NPM_CONFIG_USERCONFIG'] ?? join(options.homeFolder, '.npmrc');
  const file = await readFile(person, 'utf8').catch(orNoted('The settings of npm were not read', ''));
  const found =
    addressOf(setting(file, '@node-llama-cpp:registry')) ?? addressOf(set) ?? addressOf(setting(file, 'registry'));
  return found ?? (await npmSays(options, signal)) ?? addressOf(built());
}

function setting(npmrc: string, name: string): string {
  for (const line of npmrc.split('\n')) {
    const at = line.indexOf('=');
    if (at > 0 && line.slice(0, at).trim() === name) return line.slice(at + 1).trim();
  }
  return '';
}

async function npmSays({ npm, programs }: PackageRegistryOptions, signal: AbortSignal): Promise<string | null> {
  const program = await npm();
  if (program === null) return null;
  const asked = await programs.run(program, ['config', 'get', 'registry'], {
    needs: ['npm'],
    signal,
    timeoutMs: 20_000,
  });
  return asked.code === 0 ? addressOf(asked.stdout.trim()) : null;
}

function built(): string {
  return typeof __PACKAGE_REGISTRY__ === 'undefined' ? '' : __PACKAGE_REGISTRY__;
}

/** Null for a value that is not a web address, such as an unresolved `${NAME}`. */
function addressOf(text: string): string | null {
  const value = text.replace(/^(["'])(.*)\1$/u, '$2');
  if (!/^https?:\/\/[^\s${}]+$/u.test(value) || !URL.canParse(value)) return null;
  return value.replace(/(?<!\/)\/+$/u, '');
}
