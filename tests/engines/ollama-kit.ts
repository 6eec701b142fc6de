import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ollamaSchema } from '@shared/settings/settings.ts';
import type { OllamaSettings } from '@shared/settings/settings.ts';
import { createMachineProbe, readHardware } from '../../src/main/models/machine/hardware.ts';
import { createHeaderReader } from '../../src/main/models/memory/gguf/gguf-header-reader.ts';
import { createServerMemoryPlanner } from '../../src/main/models/memory/server-memory-planner.ts';
import type { Provider } from '../../src/main/models/providers/define.ts';
import { createOllamaProvider } from '../../src/main/models/providers/ollama/create-ollama-provider.ts';
import { providerDependencies } from '../fakes/provider-kit.ts';
import { modelPath, scratchDir } from './support.ts';
import { testPrograms } from '../fakes/test-programs.ts';

/** The program that `scripts/setup/ollama.mjs` built. Undefined if there is none. */
export const ollamaProgram = process.env.DEWPOINT_TEST_OLLAMA;

/** A real server for this test alone, with its own port, models and home. */
export interface RealOllama {
  readonly address: string;
  readonly dir: string;
  /** Creates a model from a file, as a user does who has downloaded one. */
  readonly create: (name: string, model: string) => Promise<void>;
  /** Calls any other function of its API. Rejects if the server refuses. */
  readonly post: (path: string, body: object) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startOllama(program: string): Promise<RealOllama> {
  const dir = await scratchDir();
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    OLLAMA_MODELS: join(dir, 'models'),
    OLLAMA_NO_CLOUD: '1',
    OLLAMA_HOST: '127.0.0.1:0',
  };
  const server = spawn(program, ['serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await addressOf(server);
  return {
    address,
    dir,
    create: async (name, model) => {
      const file = join(dir, `${name}.Modelfile`);
      await writeFile(file, `FROM ${modelPath(model)}\n`);
      await run(program, ['create', name, '-f', file], { ...env, OLLAMA_HOST: address });
    },
    post: async (path, body) => {
      const response = await fetch(`${address}${path}`, { method: 'POST', body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    },
    stop: () =>
      new Promise((resolve) => {
        if (server.exitCode !== null || server.signalCode !== null) return resolve();
        server.once('exit', () => resolve());
        server.kill('SIGTERM');
      }),
  };
}

/** Returns the address of the free port that the server reports. */
function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      // The server writes its log for as long as it runs, and the log has to be read.
      said = (said + chunk.toString('utf8')).slice(-20_000);
      const found = /Listening on (127\.0\.0\.1:\d+)/.exec(said);
      if (found !== null) resolve(`http://${found[1]}`);
    });
    server.once('exit', () => reject(new Error(`the server ended: ${said.slice(-1000)}`)));
    server.once('error', reject);
  });
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(said.slice(-1000)))));
  });
}

/** Uses the product's own planner on this machine as it is. */
export function realProvider({ address, dir }: RealOllama, settings: Partial<OllamaSettings> = {}): Provider {
  const serverMemoryPlanner = createServerMemoryPlanner({
    readHardware: (signal) => readHardware([], signal, createMachineProbe(testPrograms())),
    readHeader: createHeaderReader(),
  });
  return createOllamaProvider(
    providerDependencies({ serverMemoryPlanner, cacheDir: join(dir, 'cache') }),
    { id: 'ollama', settings: ollamaSchema.parse({ kind: 'ollama', baseUrl: address, ...settings }) },
    { askMs: 60_000, loadMs: 110_000, stallMs: 110_000 },
  );
}
