import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Catches: a lint rule that no longer reports, so that the import directions are only documented. */
const root = resolve(import.meta.dirname, '../..');

const forbidden: readonly { readonly file: string; readonly line: string }[] = [
  { file: 'src/shared/events/a.ts', line: "import 'node:fs';" },
  { file: 'src/shared/a2.ts', line: "import { x } from 'undici'; void x;" },
  { file: 'src/shared/money/a3.ts', line: "import { x } from '../../main/compose.ts'; void x;" },
  { file: 'src/shared/b.ts', line: "import { app } from 'electron'; void app;" },
  { file: 'src/main/agent/step/c.ts', line: "import { app } from 'electron'; void app;" },
  { file: 'src/main/agent/c2.ts', line: "import { x } from '../hosts/desktop/window.ts'; void x;" },
  { file: 'src/main/agent/c3.ts', line: "import { x } from 'node:child_process'; void x;" },
  { file: 'src/main/agent/c4.ts', line: "import { compose } from '../compose.ts'; void compose;" },
  { file: 'src/main/agent/turn/c5.ts', line: "import { x } from '../../server/router.ts'; void x;" },
  { file: 'src/main/models/engine/c6.ts', line: "import { fork } from 'node:child_process'; void fork;" },
  { file: 'src/main/sandbox/docker/exec/c7.ts', line: "import { spawn } from 'child_process'; void spawn;" },
  { file: 'src/main/safety/keys/key-client.ts', line: "import { fork } from 'node:child_process'; void fork;" },
  { file: 'src/main/hosts/cli/c8.ts', line: "import { spawn } from 'node:child_process'; void spawn;" },
  { file: 'src/main/lib/programs/c9.ts', line: "import { spawn } from 'node:child_process'; void spawn;" },
  {
    file: 'src/main/lib/programs/start-program.ts',
    line: "import { x } from '../../sessions/log/event-log.ts'; void x;",
  },
  { file: 'src/main/models/engine/c10.ts', line: "import { Worker } from 'node:worker_threads'; void Worker;" },
  { file: 'src/main/hosts/desktop/c11.ts', line: "import { utilityProcess } from 'electron'; void utilityProcess;" },
  { file: 'src/main/index.ts', line: "import { fork } from 'node:child_process'; void fork;" },
  { file: 'src/main/sessions/open/extra.ts', line: "import { app } from 'electron'; void app;" },
  { file: 'src/main/sessions/open/extra2.ts', line: "import { x } from '../../hosts/cli/main.ts'; void x;" },
  { file: 'src/main/documents/parsers/p.ts', line: "import { x } from '../../sessions/log/event-log.ts'; void x;" },
  { file: 'src/main/memory/m0.ts', line: "import { x } from '../sandbox/sandbox.ts'; void x;" },
  { file: 'src/main/skills/d0.ts', line: "import { x } from '../sandbox/sandbox.ts'; void x;" },
  { file: 'src/main/language-servers/c12.ts', line: "import { x } from '../sandbox/sandbox.ts'; void x;" },
  { file: 'src/main/tools/d.ts', line: "import { x } from '../sandbox/sandbox.ts'; void x;" },
  { file: 'src/main/tools/commands/d2.ts', line: "import { execFile } from 'node:child_process'; void execFile;" },
  { file: 'src/main/tools/edits/d3.ts', line: "import { x } from '../../sandbox/sandbox.ts'; void x;" },
  { file: 'src/main/models/providers/e.ts', line: "import { x } from '../../sessions/log/event-log.ts'; void x;" },
  { file: 'src/main/sandbox/docker/exec/f.ts', line: "import { x } from '../../../sessions/blobs/blobs.ts'; void x;" },
  {
    file: 'src/main/models/engine/worker/load/g.ts',
    line: "import { x } from '../../../../sandbox/sandbox.ts'; void x;",
  },
  { file: 'src/main/recipes/fix/search/g2.ts', line: "import { x } from '../../../agent/turn/turn.ts'; void x;" },
  {
    file: 'src/main/recipes/probe/g3.ts',
    line: "import type { X } from '../../agent/prompt/conversation.ts'; export type Y = X;",
  },
  { file: 'src/main/symbols/rank/g4.ts', line: "import { x } from '../../recipes/code/code-syntax.ts'; void x;" },
  { file: 'src/main/lib/h.ts', line: "import { x } from '../sessions/log/event-log.ts'; void x;" },
  { file: 'src/main/lib/files/h2.ts', line: "import { x } from '../../sessions/log/event-log.ts'; void x;" },
  { file: 'src/main/server/i.ts', line: "import { app } from 'electron'; void app;" },
  { file: 'src/main/hosts/cli/j.ts', line: "import { x } from '../desktop/window.ts'; void x;" },
  { file: 'src/main/hosts/acp/j2.ts', line: "import type { X } from '../cli/main.ts'; export type Y = X;" },
  { file: 'src/main/hosts/text/j3.ts', line: "import { x } from '../cli/questions/ask-user.ts'; void x;" },
  { file: 'src/main/hosts/web/k.ts', line: "import { app } from 'electron'; void app;" },
  { file: 'src/preload/l.ts', line: "import { x } from '@shared/events/events.ts'; void x;" },
  { file: 'src/renderer/m.tsx', line: "import 'node:fs';" },
  { file: 'src/renderer/n.tsx', line: "import { x } from '../main/compose.ts'; void x;" },
  { file: 'src/renderer/o.tsx', line: "import { x } from '@shared/events/events.ts'; void x;" },
  {
    file: 'src/renderer/lib/session/o2.ts',
    line: "import { contract } from '@shared/contract/contract.ts'; void contract;",
  },
  { file: 'src/renderer/features/chat/steps/p2.tsx', line: "import { x } from '../../costs/costs-view.tsx'; void x;" },
  { file: 'src/renderer/features/chat/p.tsx', line: "import { x } from '../costs/costs-view.tsx'; void x;" },
];

/** Two files that import each other, even only types, are one file in two places. */
const circle: readonly { readonly file: string; readonly line: string }[] = [
  { file: 'src/main/agent/circle-a.ts', line: "import type { B } from './circle-b.ts'; export type A = B;" },
  { file: 'src/main/agent/circle-b.ts', line: "import type { A } from './circle-a.ts'; export type B = A | null;" },
];

const allowed: readonly { readonly file: string; readonly line: string }[] = [
  { file: 'src/shared/text/ok.ts', line: "import { z } from 'zod'; void z;" },
  { file: 'src/main/tools/ok.ts', line: "import type { X } from '../sandbox/sandbox.ts'; export type Y = X;" },
  { file: 'src/main/tools/ok2.ts', line: "import { x } from '../lib/async/abort.ts'; void x;" },
  { file: 'src/main/sandbox/docker/exec/ok.ts', line: "import { x } from '../../sandbox.ts'; void x;" },
  {
    file: 'src/main/models/engine/ok3.ts',
    line: "import type { ChildProcess } from 'node:child_process'; export type C = ChildProcess;",
  },
  {
    file: 'src/main/models/engine/worker/load/ok.ts',
    line: "import { x } from '../../../../lib/async/abort.ts'; void x;",
  },
  { file: 'src/main/sessions/commands.ts', line: "import { x } from '../agent/turn/turn.ts'; void x;" },
  { file: 'src/main/sessions/ok.ts', line: "import type { X } from '../server/handlers.ts'; export type Y = X;" },
  { file: 'src/main/agent/ok.ts', line: "import { x } from '../tools/registry.ts'; void x;" },
  { file: 'src/main/hosts/desktop/ok.ts', line: "import { app } from 'electron'; void app;" },
  {
    file: 'src/renderer/ok2.tsx',
    line: "import { reduceSession } from '@shared/session/reducers/reduce-session.ts'; void reduceSession;",
  },
  { file: 'src/renderer/features/chat/ok.tsx', line: "import { x } from './steps/step-row.tsx'; void x;" },
  { file: 'src/renderer/features/chat/steps/ok.tsx', line: "import { x } from '../turns/turn.tsx'; void x;" },
  { file: 'src/renderer/ok.tsx', line: "import type { X } from '@shared/events/events.ts'; export type Y = X;" },
];

let folder = '';
let reported = new Set<string>();
let circles = new Set<string>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-lint-'));
  // Rules that use types need the packages, which are not in this folder.
  const config = readFileSync(join(root, 'oxlint.config.mjs'), 'utf8').replace(/^ *options: \{[^}]*\},\n/mu, '');
  writeFileSync(join(folder, 'oxlint.config.mjs'), config);
  for (const { file, line } of [...forbidden, ...allowed, ...circle]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${line}\n`);
  }
  const found = lint(folder);
  const filesOf = (rule: string): Set<string> =>
    new Set(found.filter((item) => item.code.includes(rule)).map((item) => item.filename));
  reported = filesOf('no-restricted-imports');
  circles = filesOf('no-cycle');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lint(cwd: string): readonly { code: string; filename: string }[] {
  const bin = join(root, 'node_modules/oxlint/bin/oxlint');
  let text = '';
  try {
    text = execFileSync(process.execPath, [bin, '-c', 'oxlint.config.mjs', '--format', 'json', '.'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) text = String(error.stdout);
  }
  return JSON.parse(text).diagnostics;
}

describe('the check of imports', () => {
  it.each(forbidden)('reports $line in $file', ({ file }) => {
    expect(reported).toContain(file);
  });

  it.each(circle)('reports $file, which is part of a circle of types', ({ file }) => {
    expect(circles).toContain(file);
  });

  it.each(allowed)('allows $line in $file', ({ file }) => {
    expect(reported).not.toContain(file);
  });
});

describe('the only caller of models', () => {
  it('is agent/step/run-step.ts, and nothing else calls stream of a provider', () => {
    const callers = sourceFiles(join(root, 'src/main')).filter((file) =>
      /\bprovider\w*\.stream\(/u.test(readFileSync(file, 'utf8')),
    );
    expect(callers.map((file) => file.slice(root.length + 1))).toEqual(['src/main/agent/step/run-step.ts']);
  });
});

describe('the only place that starts programs on the host', () => {
  const namesOf = (pattern: RegExp): readonly string[] =>
    sourceFiles(join(root, 'src'))
      .filter((file) => pattern.test(readFileSync(file, 'utf8')))
      .map((file) => file.slice(root.length + 1))
      .sort();

  // Catches: what no rule about imports sees: `require`, `import()`, and Electron's own means.
  it('is lib/programs/start-program.ts, and nothing else has the means', () => {
    const means =
      /(?<!import type .*)['"](?:node:)?(?:child_process|worker_threads|cluster)['"]|node-pty|execa|process\.binding/u;
    // A thread of a fixed text, which starts nothing.
    const watch = 'src/main/lib/programs/end-with-parent.ts';
    expect(namesOf(means)).toEqual([watch, 'src/main/lib/programs/start-program.ts']);
    expect(namesOf(/new Worker\(/u)).toEqual([watch]);
    expect(namesOf(/utilityProcess|shell\.openPath|shell: true/u)).toEqual([]);
  });

  it('is called by lib/programs/host-programs.ts and by three more that need no look-up', () => {
    // `served-drives.ts` starts two programs of the system, by their whole paths and without an environment.
    expect(namesOf(/\bstartProgram\(/u)).toEqual([
      'src/main/lib/files/served-drives.ts',
      'src/main/lib/programs/host-programs.ts',
      'src/main/lib/programs/start-program.ts',
      'src/main/models/engine/server-guard.ts',
      'src/main/sandbox/read-only/search-host.ts',
    ]);
  });

  it('gets programs of the scripts only through their one helper', () => {
    const scripts = readdirSync(join(root, 'scripts/setup')).filter((name) => name.endsWith('.mjs'));
    const starting = scripts.filter((name) =>
      readFileSync(join(root, 'scripts/setup', name), 'utf8').includes("from 'node:child_process'"),
    );
    expect(starting).toEqual(['child.mjs', 'run.mjs']);
  });
});

function sourceFiles(start: string): readonly string[] {
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}
