import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLanguageServers } from '../../src/main/language-servers/language-servers.ts';
import type { LanguageServers } from '../../src/main/language-servers/language-servers.ts';
import type { NewErrors } from '../../src/main/language-servers/new-errors.ts';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none } from './docker-kit.ts';
import { minutes, openPackages, run, type PackagesUnderTest } from './packages-kit.ts';

const project = {
  'src/money.py': 'def total(prices: list[int]) -> int:\n    return sum(prices)\n\n\nbroken: int = "was here before"\n',
  'src/shop.py': 'from money import total\n\nprint(total([1, 2]), "total")\n',
  'web/money.ts': 'export function total(prices: number[]): number {\n  return prices.length;\n}\n',
  'web/shop.ts': "import { total } from './money.ts';\n\nexport const bill = total([1]);\n",
  'tsconfig.json': '{"compilerOptions": {"strict": true, "noEmit": true, "allowImportingTsExtensions": true}}',
};

/** A program that is no server: it starts another one in a session of its own, and prints without an end. */
const hostile = '#!/bin/sh\nsetsid sleep 4321 >/dev/null 2>&1 &\nexec yes Content\n';

/** Edits a file as a tool does, and asks until a server that is still being started can be asked. */
async function edit(
  servers: LanguageServers,
  sandbox: Sandbox,
  path: string,
  change: (text: string) => string,
): Promise<NewErrors> {
  const { bytes, sha256 } = valueOf(await sandbox.files.read(path, {}, none));
  const before = Buffer.from(bytes).toString('utf8');
  const after = change(before);
  valueOf(await sandbox.files.write(path, Buffer.from(after), sha256, none));
  let found: NewErrors = { type: 'none' };
  await expect
    .poll(async () => (found = await servers.newErrors([{ path, before, after }], { limitMs: 5_000, signal: none })), {
      interval: 200,
    })
    .not.toEqual({ type: 'late' });
  return found;
}

describe.skipIf(isWithoutEngine)('language servers in the sandbox', () => {
  let bed: PackagesUnderTest;
  beforeAll(async () => void (bed = await openPackages()), minutes(3));
  afterAll(() => bed?.close());

  it(
    'find, rename and check what ty and TypeScript 7 know, and end with the sandbox',
    { timeout: minutes(5) },
    async () => {
      const path = await bed.project('two', project);
      // The project names no packages, so only what was asked for is installed, and later sessions have it.
      expect(valueOf(await bed.preparations.plan({ projectPath: path, hosts: [] }, none)).parts).toEqual([]);
      expect(await bed.prepare(path, false, { languageServers: true })).toEqual(['ready', 'ready']);
      expect(valueOf(await bed.preparations.parts(path, none))).toMatchObject([
        { state: 'ready', isNeeded: false },
        { state: 'ready', isNeeded: false },
      ]);
      await bed.session(path, async (sandbox) => {
        const servers = createLanguageServers()(sandbox);
        const { questions } = servers;
        expect(await servers.namesFor(['a.py', 'b.ts', 'c.go'], none)).toEqual(['ty', 'TypeScript']);
        for (const [file, user] of [
          ['src/money.py', 'src/shop.py'],
          ['web/money.ts', 'web/shop.ts'],
        ] as const) {
          const used = valueOf(await questions.places('references', { path: file, name: 'total', line: null }, none));
          expect(used).toMatchObject({ isComplete: true, otherLines: { files: [] }, more: 0 });
          expect(new Set(used.places.map((one) => one.path))).toEqual(new Set([file, user]));
          const defined = valueOf(await questions.places('definition', { path: user, name: 'total', line: 3 }, none));
          expect(defined.places.map((one) => [one.path, one.line])).toContainEqual([file, 1]);
          expect(valueOf(await questions.hover({ path: file, name: 'total', line: 1 }, none)).text).toContain('prices');
          expect(valueOf(await questions.symbols(file, none)).map(({ name }) => name)).toContain('total');
          const renamed = valueOf(await questions.rename({ path: user, name: 'total', line: 3 }, 'whole', none));
          expect(renamed.files.map((one) => one.path).sort()).toEqual([file, user]);
          expect(renamed.files.find((one) => one.path === file)?.text).toContain('whole(prices');
        }
        for (const [file, wrong, missing] of [
          ['web/money.ts', '\nexport const other: number = "new";\n', "\nimport 'not-installed';\n"],
          ['src/money.py', '\nother: int = "new"\n', '\nimport not_installed\nother = not_installed.some()\n'],
        ] as const) {
          const found = await edit(servers, sandbox, file, (text) => text + wrong);
          expect(found).toMatchObject({ type: 'found', errors: [{ path: file }] });
          // A package may be missing in the sandbox alone.
          const mended = await edit(servers, sandbox, file, (text) => text.replace(wrong, missing));
          expect(mended).toMatchObject({ errors: [] });
        }
        // The packages of the image are still there.
        expect((await run(sandbox, 'python -m pytest --version')).code).toBe(0);
        expect((await run(sandbox, 'ps -eo args')).text).toContain('ty server');
      });
    },
  );

  it(
    'answer for C by clangd, and pass on no error that follows from a missing header',
    { timeout: minutes(3) },
    async () => {
      const path = await bed.project('c', {
        'CMakeLists.txt': 'project(money C)\n',
        'money.c': '#include <stdio.h>\n\nint total(int first) {\n  return first + 1;\n}\n',
      });
      expect(await bed.prepare(path, false, { languageServers: true })).toEqual(['ready']);
      await bed.session(path, async (sandbox) => {
        const servers = createLanguageServers()(sandbox);
        expect(await servers.namesFor(['money.c', 'a.py'], none)).toEqual(['clangd']);
        const hover = valueOf(await servers.questions.hover({ path: 'money.c', name: 'total', line: null }, none));
        expect(hover.text).toContain('total');
        const wrong = '\nint other(void) {\n  return totals(1) + "new";\n}\n';
        const found = await edit(servers, sandbox, 'money.c', (text) => text + wrong);
        expect(found).toMatchObject({ type: 'found', by: 'clangd' });
        expect(JSON.stringify(found)).toContain('totals');
        const missing = await edit(
          servers,
          sandbox,
          'money.c',
          (text) => `#include "not-there.h"\n${text}NOT_THERE(1)\n`,
        );
        expect(missing).toMatchObject({ errors: [] });
        // Its index would be a folder in the project.
        expect((await run(sandbox, 'ls -A')).text).not.toContain('.cache');
      });
    },
  );

  it('end with everything that they started, also those that flood and fork', { timeout: minutes(2) }, async () => {
    const path = await bed.project('hostile', { 'a.py': 'x = 1\n', 'node_modules/.bin/ty': hostile });
    await chmod(join(path, 'node_modules/.bin/ty'), 0o755);
    await bed.session(path, async (sandbox) => {
      const { questions } = createLanguageServers()(sandbox);
      const asked = await questions.hover({ path: 'a.py', name: 'x', line: 1 }, none);
      expect(asked).toMatchObject({ ok: false });
      await expect.poll(async () => (await run(sandbox, 'ps -eo args')).text).not.toMatch(/sleep 4321|yes Content/u);
    });
  });
});
