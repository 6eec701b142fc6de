import { failure, success } from '@shared/errors.ts';
import type { Reply } from '@shared/errors.ts';
import type { HostPrograms } from '../../../lib/programs/host-programs.ts';
import type { Card } from '../../memory/memory-plan.ts';
import { lastOutput } from '../own-server.ts';

/** A llama-server that is installed here, as it describes itself. */
export interface ServerProgram {
  readonly path: string;
  readonly version: string;
  /** The exact build, in its words. */
  readonly build: string;
  /** The draft types that it lists for `--spec-type`. Empty: none, or only older options. */
  readonly draftTypes: readonly string[];
  /** The cards that this build can use, with their free memory now. */
  readonly cards: readonly Card[];
}

/** The first build that accepts all our options. Builds have numbers, and later ones have versions. */
const leastBuild = 8_000;
/** Its libraries look for cards at each start, which takes time. */
const askMs = 20_000;
const mebi = 1024 * 1024;

/** Fails for a program that is not llama-server, and for one that is too old. */
export async function askServerProgram(
  path: string,
  { programs, platform }: { readonly programs: HostPrograms; readonly platform: NodeJS.Platform },
  signal: AbortSignal,
): Promise<Reply<ServerProgram>> {
  const ask = (word: string): ReturnType<HostPrograms['run']> =>
    programs.run([path], [word], { needs: ['card'], signal, timeoutMs: askMs });
  const said = await ask('--version');
  const version = versionIn(said.output);
  if (signal.aborted) return failure('cancelled', 'It was cancelled.');
  if (version === null) {
    const text = `${path} did not say which version it is.${lastOutput(said.output)}`;
    return failure('bad-input', text, 'Is it a llama-server? Set another program: providers.llama-server.program.');
  }
  if (!version.isNewEnough) {
    const text = `${path} is too old: it is version ${version.text}, and Dewpoint needs build ${leastBuild} or later.`;
    return failure('bad-input', text, 'Install a newer llama.cpp.');
  }
  const [devices, help] = await Promise.all([ask('--list-devices'), ask('--help')]);
  const cards = cardsIn(devices.stdout, platform === 'darwin');
  return success({ path, version: version.text, build: version.build, draftTypes: draftTypesIn(help.stdout), cards });
}

/** "version: 8763 (ff5ef8278)", and later "version: 0.4.0 (build 1, commit 5b4ebc5)". */
function versionIn(
  output: string,
): { readonly text: string; readonly build: string; readonly isNewEnough: boolean } | null {
  const [, build = '', version] = /^version: ((\d+(?:\.\d+)*)\b.{0,100})$/mu.exec(output) ?? [];
  if (version === undefined) return null;
  return { text: version, build, isNewEnough: version.includes('.') || Number(version) >= leastBuild };
}

/** "--spec-type none,draft-simple,…" */
function draftTypesIn(help: string): readonly string[] {
  const [, types = ''] = /^--spec-type (\S{1,400})/mu.exec(help) ?? [];
  return (types.match(/[a-z][\w-]*/gu) ?? []).filter((type) => type !== 'none');
}

/** The free memory already excludes what the drivers use. On a Mac, the card uses main memory. */
function cardsIn(output: string, isUnified: boolean): readonly Card[] {
  const found = output.matchAll(/^ {2}([\w-]+): (.{1,200}) \((\d+) MiB, (\d+) MiB free\)$/gmu);
  return [...found].map(([, name = '', , total, free]) => ({
    name,
    totalBytes: Number(total) * mebi,
    freeBytes: Number(free) * mebi,
    driverBytes: 0,
    isUnified,
  }));
}
