// Brings the image of the sandbox: from the engine, from the cache, by `docker build`, or, where no image registry can
// be reached, from Debian packages with debootstrap. It can be run by itself:
//   node scripts/setup/sandbox-image.mjs [--json]
// prints the image's name last on stdout (with --json as {"image": NAME, "id": "sha256:…"}), everything else on stderr,
// and exits with 5 if this machine cannot get the image.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDocker } from './docker.mjs';
import { bootstrapImage, recipe } from './sandbox-bootstrap.mjs';
import { withLock } from './lock.mjs';
import { cacheDir, root } from './paths.mjs';
import { capture, stream } from './run.mjs';
import { sinceText, sizeText, say } from './say.mjs';

const folder = join(root, 'resources', 'sandbox');
const dockerfile = join(folder, 'Dockerfile');
const runnerFolder = join(folder, 'runner');

/** A fixed name for the newest image of this checkout, for use without knowing its key. */
export const devTag = 'dewpoint-sandbox:dev';

/** @returns {string} the name of the image that this checkout's files make */
export function imageTag() {
  const hash = createHash('sha256').update(readFileSync(dockerfile));
  for (const name of readdirSync(runnerFolder).sort()) hash.update(name).update(readFileSync(join(runnerFolder, name)));
  hash.update(JSON.stringify({ ...recipe, arch: arch() }));
  return `dewpoint-sandbox:${hash.digest('hex').slice(0, 12)}`;
}

/**
 * Makes sure that the engine has the image. Quick if it already does.
 * @returns {Promise<{ok: true, image: string, id: string} | {ok: false, message: string}>}
 */
export async function ensureSandboxImage() {
  const engine = findDocker();
  if (!engine.ok) return engine;
  const image = imageTag();
  const present = imageId(image);
  if (present) return finish(image, present);
  const kept = join(cacheDir(), 'images', `${image.replace(':', '-')}.tar`);
  return withLock(`${kept}.lock`, 'building the sandbox image', async () => {
    const id = imageId(image);
    if (id) return finish(image, id);
    if (await loadImage(kept, image)) return finish(image, imageId(image));
    const made = await make(image);
    if (!made.ok) return made;
    await keepImage(image, kept);
    return finish(image, imageId(image));
  });
}

/** @param {string} image @returns {Promise<{ok: true} | {ok: false, message: string}>} */
async function make(image) {
  const base = /^FROM (\S+)/m.exec(readFileSync(dockerfile, 'utf8'))?.[1] ?? '';
  const started = Date.now();
  say(`building the sandbox image ${image} (once, takes some minutes)`);
  if (imageId(base) || (await stream('docker', ['pull', base], { quiet: true, timeoutMs: 600_000 })).ok) {
    const built = await stream('docker', ['build', '-t', image, '-f', dockerfile, folder]);
    if (built.ok) {
      say(`the sandbox image was built in ${sinceText(started)}`);
      return { ok: true };
    }
    say('docker build failed; trying Debian packages instead');
  } else {
    say(`the base image ${base} cannot be pulled; building the image from Debian packages`);
  }
  const made = await bootstrapImage(image, runnerFolder);
  if (made.ok) say(`the sandbox image was built in ${sinceText(started)}`);
  return made;
}

/**
 * @param {string} file
 * @param {string} image
 * @returns {Promise<boolean>} whether the engine has it now
 */
export async function loadImage(file, image) {
  if (imageId(image)) return true;
  if (!existsSync(file)) return false;
  const started = Date.now();
  say(`loading ${image} from the cache (${sizeText(statSync(file).size)})`);
  const loaded = await stream('docker', ['load', '-q', '-i', file], { quiet: true });
  if (loaded.ok && imageId(image)) {
    say(`loaded in ${sinceText(started)}`);
    return true;
  }
  say('the cached image is damaged; building it again');
  rmSync(file, { force: true });
  return false;
}

/**
 * Saves the whole image, so that it keeps its id when it is loaded again.
 * @param {string} image
 * @param {string} file
 */
export async function keepImage(image, file) {
  mkdirSync(join(file, '..'), { recursive: true });
  const saved = await stream('docker', ['save', '-o', `${file}.part`, image], { quiet: true });
  if (saved.ok) renameSync(`${file}.part`, file);
  else {
    rmSync(`${file}.part`, { force: true });
    say(`the image could not be kept in the cache: ${saved.output.trim()}`);
  }
}

/** @param {string} image @returns {string} the id, empty if the engine does not have the image */
export function imageId(image) {
  return capture('docker', ['image', 'inspect', '--format', '{{.Id}}', image]).stdout.trim();
}

/** @param {string} image @param {string} id @returns {{ok: true, image: string, id: string} | {ok: false, message: string}} */
function finish(image, id) {
  if (!id) return { ok: false, message: `the engine does not know ${image} although it was just built` };
  capture('docker', ['tag', image, devTag]);
  return { ok: true, image, id };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await ensureSandboxImage();
  if (!result.ok) say(result.message);
  else if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ image: result.image, id: result.id })}\n`);
  } else process.stdout.write(`${result.image}\n`);
  process.exitCode = result.ok ? 0 : 5;
}
