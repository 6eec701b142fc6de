import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { engineVersion } from '../../src/main/models/engine/engine-packages.ts';
import { cacheDir } from '../engines/support.ts';

/** The folder of the families' chat templates, as `NAME.jinja` files. Filled by `fetchTemplates`. */
export const templateFolder = join(cacheDir(), `chat-templates-${engineVersion}`);

/** Extracts the templates from the llama.cpp source in the engine's package. Several test files may do it at once. */
export function fetchTemplates(): void {
  if (existsSync(templateFolder)) return;
  mkdirSync(cacheDir(), { recursive: true });
  const work = mkdtempSync(join(cacheDir(), '.templates-'));
  try {
    const bundle = resolve('node_modules/node-llama-cpp/llama/gitRelease.bundle');
    execFileSync('git', ['clone', '--quiet', '--bare', bundle, join(work, 'source')]);
    const archive = execFileSync('git', ['-C', join(work, 'source'), 'archive', 'HEAD', 'models/templates'], {
      maxBuffer: 1 << 26,
    });
    execFileSync('tar', ['-x', '-C', work], { input: archive });
    renameSync(join(work, 'models', 'templates'), templateFolder);
  } catch (error) {
    // If the folder exists now, another file was faster.
    if (!existsSync(templateFolder)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
