import { resolve } from 'node:path';
import { settingsSchema } from '@shared/settings/settings.ts';
import { escapedJson, seenName } from '@shared/text/seen-text.ts';
import { knownSecrets } from '../../../safety/keys/known-secrets.ts';
import { jsonText } from '../../../lib/files/json-file.ts';
import { createRedactor } from '../../../sessions/log/redactor.ts';
import type { Command } from '../command-context.ts';
import { doctorBundle } from '../reports/doctor-bundle.ts';
import { checkOutputFile, writeOutputFile } from '../terminal/output-file.ts';
import { indented, jsonLine } from '../terminal/terminal.ts';
import { padRight } from '../terminal/columns.ts';

export interface DoctorArguments {
  readonly json?: boolean;
  /** The file to write. */
  readonly bundle?: string;
}

/** Says what works on this machine and what does not. Exit code 5: something that is needed for a run is missing. */
export const doctor: Command<[DoctorArguments]> = async (context, { json, bundle }) => {
  const { terminal, version } = context;
  if (bundle !== undefined) await checkOutputFile(bundle);
  const core = await context.core();
  const findings = await core.doctor(undefined, { signal: context.signal });
  if (bundle !== undefined) {
    const [settings, models, sessions] = await Promise.all([
      core.settings.get({}),
      core.models.list(),
      core.sessions.list(),
    ]);
    // A core of another version may have settings that this one cannot read. The default settings still name the usual
    // variables that hold keys.
    const known = settingsSchema.safeParse(settings).data ?? settingsSchema.parse({});
    const redactor = createRedactor(knownSecrets(known, process.env));
    const subject = { version, madeAt: Date.now(), findings, settings, models, sessions, redactor };
    await writeOutputFile(bundle, escapedJson(jsonText(doctorBundle(subject))));
    terminal.err(`Written: ${seenName(resolve(bundle))}. Read it before you share it.\n`);
  }
  const isMissing = findings.some((finding) => finding.status === 'missing');
  if (json === true) {
    terminal.out(jsonLine(findings));
    return isMissing ? 5 : 0;
  }
  const { colors } = terminal;
  const signs = { ok: colors.green('✔'), warning: colors.yellow('!'), missing: colors.red('✖') };
  for (const finding of findings) {
    terminal.out(`${signs[finding.status]} ${padRight(seenName(finding.area), 10)} ${indented(finding.text)}\n`);
    if (finding.hint !== null) terminal.out(`  ${''.padEnd(10)} ${indented(finding.hint)}\n`);
  }
  return isMissing ? 5 : 0;
};
