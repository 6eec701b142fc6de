import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A real Chat Completions server with one model. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly stop: () => Promise<void>;
}

export interface EndpointParts {
  readonly cache: string;
  readonly model: string;
  readonly contextTokens: number;
  readonly say: (line: string) => void;
}

/**
 * An Ollama server of its own, on a free port. The model is imported once and kept beside the cache. Rejects without
 * Ollama.
 */
export async function startEndpoint({ cache, model, contextTokens, say }: EndpointParts): Promise<Endpoint> {
  const program = await findProgram();
  const folder = join(cache, 'bench', 'pair', 'ollama');
  await mkdir(folder, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    OLLAMA_MODELS: join(folder, 'models'),
    OLLAMA_NO_CLOUD: '1',
    OLLAMA_HOST: '127.0.0.1:0',
    OLLAMA_CONTEXT_LENGTH: String(contextTokens),
    OLLAMA_NUM_PARALLEL: '1',
    OLLAMA_KEEP_ALIVE: '-1',
  };
  const server = spawn(program, ['serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const stop = (): Promise<void> =>
    new Promise((done) => {
      if (server.exitCode !== null || server.signalCode !== null) return done();
      server.once('exit', () => done());
      server.kill('SIGTERM');
    });
  try {
    const address = await addressOf(server);
    const file = join(folder, `${model}.Modelfile`);
    // Several threads that wait for each other would use processor time without working (see model-speed.ts).
    await writeFile(file, `FROM ${join(cache, 'models', `${model}.gguf`)}\nPARAMETER num_thread 1\n`);
    say(`importing ${model} into a server of our own (seconds, where it was imported before)`);
    await execute(program, ['create', model, '-f', file], { env: { ...env, OLLAMA_HOST: address } });
    return { baseUrl: `${address}/v1`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The program that the engine tests use. A script builds it once and prints its path. */
async function findProgram(): Promise<string> {
  const known = process.env.DEWPOINT_TEST_OLLAMA;
  if (known !== undefined) return known;
  const { stdout } = await execute(process.execPath, [resolve('scripts/setup/ollama.mjs')]);
  return stdout.trim();
}

/** The server chooses a free port and prints it. */
function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((found, reject) => {
    let said = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      // The log goes on as long as the server runs, and must be read.
      said = (said + chunk.toString('utf8')).slice(-20_000);
      const match = /Listening on (127\.0\.0\.1:\d+)/.exec(said);
      if (match !== null) found(`http://${match[1]}`);
    });
    server.once('exit', () => reject(new Error(`the server ended: ${said.slice(-1000)}`)));
    server.once('error', reject);
  });
}
