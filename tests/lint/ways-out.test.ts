import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Catches: a way out of Dewpoint that no receipt counts. */
const root = resolve(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');

/** How each built process treats connections: it counts them, or it ends when it tries one. */
const doors: Readonly<Record<string, RegExp>> = {
  'src/main/start-app.ts': /import\('\.\/index\.ts'\)/u,
  'src/main/hosts/cli/start-cli.ts': /import\('\.\/main\.ts'\)/u,
  'src/main/models/engine/worker/worker.ts': /recordSends\(/u,
  'src/main/models/engine/server-guard.ts': /^refuseConnections\(\);/mu,
  'src/main/documents/document-process.ts': /^refuseConnections\(\);/mu,
  'src/main/symbols/process/symbols-process.ts': /^refuseConnections\(\);/mu,
  'src/main/git/process/git-process.ts': /^refuseConnections\(\);/mu,
  'src/main/safety/keys/key-process.ts': /^refuseConnections\(\);/mu,
};

describe('a way out of Dewpoint', () => {
  it('is counted or closed in every process that is built', () => {
    const config = text('electron.vite.config.ts');
    const built = [...config.matchAll(/resolve\('(src\/main\/[^']+\.ts)'\)/gu)].map(([, path = '']) => path);
    expect(built.toSorted()).toEqual(Object.keys(doors).toSorted());
    expect(built.filter((path) => doors[path]?.test(text(path)) !== true)).toEqual([]);
    // The app and the command line have one core.
    expect(text('src/main/compose.ts')).toMatch(/recordSends\(sentFolder\(config\.home\)/u);
  });

  it('is TCP, which is counted: nothing uses UDP, QUIC or the network of the window', () => {
    const files = globSync('src/main/**/*.ts', { cwd: root });
    expect(files.length).toBeGreaterThan(500);
    const other = /from '(?:node:)?(?:dgram|quic)'|import\('(?:node:)?(?:dgram|quic)'\)|\bnet\.(?:fetch|request)\(/u;
    expect(files.filter((path) => other.test(text(path)))).toEqual([]);
  });
});
