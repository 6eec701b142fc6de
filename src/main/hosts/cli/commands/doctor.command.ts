import { resolve } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import type { Finding, SetupTrial } from '@shared/contract/home-contract.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { escapedJson, seenName } from '@shared/text/seen-text.ts';
import { knownSecrets } from '../../../safety/keys/known-secrets.ts';
import { jsonText } from '../../../lib/files/json-file.ts';
import { createRedactor } from '../../../sessions/log/redactor.ts';
import { findDataFolders } from '../../../lib/files/data-folders.ts';
import { logFolderOf, readLogFile } from '../../../lib/files/log-file.ts';
import { checkBrokenSettings } from '../../../home/check-setup.ts';
import { openSettings } from '../../../settings/settings-store.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { doctorBundle } from '../reports/doctor-bundle.ts';
import { checkOutputFile, writeOutputFile } from '../terminal/output-file.ts';
import type { Terminal } from '../../text/terminal.ts';
import { indentText, jsonLine } from '../../text/terminal.ts';
import { padRight } from '../../text/columns.ts';

export interface DoctorArguments {
  readonly json?: boolean;
  /** The file to write. */
  readonly bundle?: string;
  /** Prints the log instead. */
  readonly log?: boolean;
  /** Also tries things: all that cost nothing, or this one. */
  readonly try?: boolean | string;
}

const bundledLogBytes = 100_000;
const printedLogBytes = 1_000_000;

const logFolder = (): string => logFolderOf(findDataFolders(process.env, process.platform).home);

/** Needs no core, because the log may say why none starts. */
async function printLog(terminal: Terminal): Promise<number> {
  const text = await readLogFile(logFolder(), printedLogBytes);
  terminal.out(text);
  terminal.err(text === '' ? 'The log is empty.\n' : `The files are in ${seenName(logFolder())}.\n`);
  return 0;
}

interface LookAround {
  readonly findings: readonly Finding[];
  /** Null: none starts, because the settings are broken. */
  readonly core: Awaited<ReturnType<CommandContext['core']>> | null;
}

/** No core starts with broken settings, so then this process looks itself. */
async function lookAround({ core, version, signal }: CommandContext): Promise<LookAround> {
  const folders = findDataFolders(process.env, process.platform);
  const { ok } = await openSettings(folders.home);
  if (ok) {
    const ours = await core();
    return { findings: await ours.doctor(undefined, { signal }), core: ours };
  }
  return { findings: await checkBrokenSettings({ ...folders, version, env: process.env }, signal), core: null };
}

/** Without a core, it has what was found and the log: what is wrong with the settings is among the findings. */
async function bundleOf(version: string, findings: readonly Finding[], core: LookAround['core']): Promise<unknown> {
  const [settings, models, sessions, log] = await Promise.all([
    core?.settings.get({}) ?? null,
    core?.models.list() ?? [],
    core?.sessions.list() ?? [],
    readLogFile(logFolder(), bundledLogBytes),
  ]);
  // A core of another version may have settings that this one cannot read. The default settings still name the usual
  // variables that hold keys.
  const known = settingsSchema.safeParse(settings).data ?? settingsSchema.parse({});
  const redactor = createRedactor(knownSecrets(known, process.env));
  return doctorBundle({ version, madeAt: Date.now(), findings, settings, models, sessions, log, redactor });
}

type OpenCore = NonNullable<LookAround['core']>;

/** Tries what costs nothing, or what was named, which may cost what was printed before. Each result is shown at once. */
async function tryThings(
  { terminal, signal }: CommandContext,
  { wanted, core }: { readonly wanted: boolean | string; readonly core: OpenCore },
  onFinding: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const trials = await core.setup.trials(undefined, { signal });
  const chosen = typeof wanted === 'string' ? trials.filter((trial) => isNamed(trial, wanted)) : trials;
  if (chosen.length === 0) {
    const names = trials.map(({ id }) => id.replace(/^\w+ /u, '')).join(', ');
    throw new AppError('bad-input', `There is nothing to try under the name ${String(wanted)}.`, {
      hint: `Name one of: ${names}`,
    });
  }
  const found: Finding[] = [];
  for (const trial of chosen) {
    const name = trial.id.replace(/^\w+ /u, '');
    const costs = trial.mostUsd === null ? 'at an unknown price' : `for at most ${moneyText(trial.mostUsd)}`;
    if (trial.mostUsd !== 0 && wanted === true) {
      const text = `${name} was not asked. It would be, ${costs}.`;
      onFinding({ area: trial.area, status: 'warning', text, hint: `dewpoint doctor --try ${name}` });
      continue;
    }
    terminal.err(`${seenName(trial.text)}${trial.mostUsd === 0 ? '' : `, ${costs}`}…\n`);
    const finding = await core.setup.try({ id: trial.id }, { signal });
    onFinding(finding);
    found.push(finding);
  }
  return found;
}

const isNamed = ({ id }: SetupTrial, wanted: string): boolean => id === wanted || id.replace(/^\w+ /u, '') === wanted;

function printFinding({ colors, out }: Pick<Terminal, 'colors' | 'out'>, { area, status, text, hint }: Finding): void {
  const signs = { ok: colors.green('✔'), warning: colors.yellow('!'), missing: colors.red('✖') };
  out(`${signs[status]} ${padRight(seenName(area), 10)} ${indentText(text)}\n`);
  if (hint !== null) out(`  ${''.padEnd(10)} ${indentText(hint)}\n`);
}

/** Says what works on this machine and what does not. Exit code 5: something that is needed for a run is missing. */
export const doctor: Command<[DoctorArguments]> = async (context, { json, bundle, log, try: wanted }) => {
  const { terminal, version } = context;
  if (log === true) return printLog(terminal);
  if (bundle !== undefined) await checkOutputFile(bundle);
  const { findings, core } = await lookAround(context);
  if (bundle !== undefined) {
    await writeOutputFile(bundle, escapedJson(jsonText(await bundleOf(version, findings, core))));
    terminal.err(`Written: ${seenName(resolve(bundle))}. Read it before you share it.\n`);
  }
  if (json !== true) for (const finding of findings) printFinding(terminal, finding);
  const show = (finding: Finding): void => (json === true ? undefined : printFinding(terminal, finding));
  const isTrying = wanted !== undefined && wanted !== false && core !== null;
  const tried = isTrying ? await tryThings(context, { wanted, core }, show) : [];
  const all = [...findings, ...tried];
  if (json === true) terminal.out(jsonLine(all));
  return all.some((finding) => finding.status === 'missing') ? 5 : 0;
};
