import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Who may read the clock of the machine, which can be put back. All others take `now` from whoever constructs them, or
 * the steady clock. Files are compared with times of the file system, and a cut clock only keeps them longer.
 */
const readers: Readonly<Record<string, string>> = {
  'home/clean-home.ts': 'compares with times of files',
  'hosts/api/answer-request.ts': 'tells a client when its answer began',
  'hosts/cli/commands/doctor.command.ts': 'dates a report',
  'hosts/cli/commands/projects/project-list.command.ts': 'dates a choice',
  'hosts/cli/commands/sessions/receipt.command.ts': 'names this month',
  'lib/async/clock.ts': 'is the clock of all others',
  'lib/files/file-lock.ts': 'compares with times of files, in both directions',
  'lib/files/log-file.ts': 'compares with times of files',
  'lib/log.ts': 'dates lines for diagnosis',
  'lib/programs/lean-start.ts': 'compares with times of files',
  'models/engine/worker/prompt/system-state-store.ts': 'dates files',
  'models/providers/api/http-errors.ts': 'reads a date of a server that does not say its time',
  'sandbox/docker/create-docker-sandbox.ts': 'compares with times of files',
  'sandbox/docker/engine/engine-watch.ts': 'asks the engine about a day',
  'sandbox/docker/protection/fresh-secrets.ts': 'compares with times of files',
  'sandbox/docker/packages/package-changes.ts': 'dates a record',
  'sandbox/docker/packages/prepare-dependencies.ts': 'dates a record',
  'sandbox/workspace/repositories/folder-watch.ts': 'compares with times of folders; a later time is read again',
  'sandbox/workspace/repositories/guard-record.ts': 'compares with times of folders',
  'sandbox/workspace/repositories/repository-guard.ts': 'compares with times of files, and notices a clock put back',
  'sessions/blobs/blob-store.ts': 'compares with times of files',
  'sessions/library/session-list-entry.ts': 'compares with days in a log; a cut clock only keeps news longer',
};

const root = resolve(import.meta.dirname, '../../src/main');

it('the clock of the machine is read only where its time is meant', () => {
  const found = globSync('**/*.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\bDate\.now\b|\bnew Date\(\)/u.test(readFileSync(join(root, file), 'utf8')));
  expect(found.toSorted()).toEqual(Object.keys(readers).toSorted());
});
