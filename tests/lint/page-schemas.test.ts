import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Catches: a schema in the page, which its policy refuses as soon as the page opens. A file that the page may use can
 * bring one along by an import of its own. The build drops what begins with a name of `manualPureFunctions`.
 */
const root = resolve(import.meta.dirname, '../..');
const importPattern = /^(?:import|export) (?!type\b)([^'";]*?)(?: ?from )?'([^']+)'|import\('([^']+)'\)/gmu;

/** Whether an import or export takes a value and not only types. */
function takesValue(names: string): boolean {
  const listed = /^\{([^}]*)\}$/su.exec(names.trim())?.[1];
  if (listed === undefined) return true;
  return listed.split(',').some((name) => name.trim() !== '' && !name.trim().startsWith('type '));
}

function valueImports(file: string, text: string): readonly string[] {
  return [...text.matchAll(importPattern)].flatMap(([, names = '', from = '', later]) => {
    const target = later ?? from;
    if (!takesValue(names)) return [];
    if (target.startsWith('@shared/')) return [join(root, 'src/shared', target.slice('@shared/'.length))];
    return target.startsWith('.') ? [resolve(dirname(file), target)] : [];
  });
}

/** Every file that the page has in it, with its text. */
function filesOfPage(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const left = [join(root, 'src/renderer/main.tsx')];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (texts.has(file) || !/\.tsx?$/u.test(file) || !existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    left.push(...valueImports(file, text));
  }
  return texts;
}

/** The names of schemas that a file calls on, which the build keeps for that. */
function keptSchemas(text: string, dropped: readonly string[]): readonly string[] {
  if (!text.includes("from 'zod'")) return [];
  const called = [...text.matchAll(/\b([a-z]\w*Schema)(?:\.\w|\()/gu)].map(([, name = '']) => name);
  return [...new Set(called)].filter((name) => !dropped.includes(name));
}

function droppedByBuild(): readonly string[] {
  const config = readFileSync(join(root, 'electron.vite.config.ts'), 'utf8');
  const listed = /manualPureFunctions: \[([^\]]*)\]/u.exec(config)?.[1] ?? '';
  return [...listed.matchAll(/'(\w+)'/gu)].map(([, name = '']) => name);
}

describe('the page', () => {
  it('has no schema that the build keeps', () => {
    const texts = filesOfPage();
    const dropped = droppedByBuild();
    const kept = [...texts].flatMap(([file, text]) =>
      keptSchemas(text, dropped).map((name) => `${file.slice(root.length + 1)}: ${name}`),
    );
    expect(kept).toEqual([]);
    // Not empty by mistake: files of both layers were read, and one with a schema that is dropped.
    expect(texts.size).toBeGreaterThan(300);
    expect(keptSchemas(texts.get(join(root, 'src/shared/money/token-cost.ts')) ?? '', [])).toEqual(['ratesSchema']);
  });

  it('reaches a file by its values, not by its types', () => {
    const text = [
      "import type { A } from './a.ts';",
      "import { type B } from './b.ts';",
      "import {\n  type C,\n  c,\n} from '@shared/c.ts';",
      "const view = lazy(() => import('./d.tsx'));",
    ].join('\n');
    expect(valueImports(join(root, 'src/renderer/x.tsx'), text)).toEqual([
      join(root, 'src/shared/c.ts'),
      join(root, 'src/renderer/d.tsx'),
    ]);
  });
});
