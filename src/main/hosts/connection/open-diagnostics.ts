import { settingsSchema } from '@shared/settings/settings.ts';
import { logFolderOf } from '../../lib/files/log-file.ts';
import { diagnostics, keepDiagnostics } from '../../lib/log.ts';
import { knownSecrets } from '../../safety/keys/known-secrets.ts';
import { createRedactor } from '../../sessions/log/redactor.ts';

let opened: string | null = null;

/**
 * Opens the log of this process in a home that exists. Until a core knows the settings, secrets are found by their form and in the
 * usual variables.
 */
export function openDiagnostics(home: string, version: string, name: string): void {
  if (opened === home) return;
  const redactor = createRedactor(knownSecrets(settingsSchema.parse({}), process.env));
  keepDiagnostics(logFolderOf(home), name, (text) => redactor.text(text));
  const { platform, arch, versions } = process;
  diagnostics.info(`Dewpoint ${version} on ${platform} ${arch}, Node ${versions.node}`);
  if (opened === null) noteBugs();
  opened = home;
}

function noteBugs(): void {
  // Only looks: the process ends, or asks, as it would without this.
  process.on('uncaughtExceptionMonitor', (error) => diagnostics.error('a bug that nothing caught', error));
  process.on('warning', (warning) => diagnostics.warn('a warning of Node', warning));
}
