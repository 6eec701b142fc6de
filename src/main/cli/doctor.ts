import type { Command } from './context.ts';
import { jsonLine, printable } from './terminal.ts';

/** What works on this machine and what does not; exit code 5 when something that runs need is missing. */
export const doctor: Command<[{ readonly json?: boolean }]> = async ({ core, terminal }, { json }) => {
  const findings = await (await core()).doctor();
  const isMissing = findings.some((finding) => finding.status === 'missing');
  if (json === true) {
    terminal.out(jsonLine(findings));
    return isMissing ? 5 : 0;
  }
  const { colors } = terminal;
  const signs = { ok: colors.green('✔'), warning: colors.yellow('!'), missing: colors.red('✖') };
  for (const finding of findings) {
    terminal.out(`${signs[finding.status]} ${finding.area.padEnd(10)} ${printable(finding.text)}\n`);
    if (finding.hint !== null) terminal.out(`  ${''.padEnd(10)} ${printable(finding.hint)}\n`);
  }
  return isMissing ? 5 : 0;
};
