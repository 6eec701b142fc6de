// Images with little more than git, from Debian releases older and newer than the sandbox's own. `npm run bench --
// hostile` uses them as the user's machine. It can be run by itself:
//   node scripts/setup/git-images.mjs
// prints the names as JSON, last on stdout, and on stderr why an image cannot be made here.
import { createHash } from 'node:crypto';
import { arch } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDocker } from './docker.mjs';
import { withLock } from './lock.mjs';
import { cacheDir } from './paths.mjs';
import { stream } from './run.mjs';
import { importTree, inFreshTree } from './sandbox-bootstrap.mjs';
import { keepImage, loadImage } from './sandbox-image.mjs';
import { say } from './say.mjs';

/** From git 2.30 to the newest in Debian. The release of the sandbox's image has 2.39. */
const suites = ['bullseye', 'trixie', 'sid'];
/** Raise `version` to fetch the newest git of `sid` again. */
const recipe = { version: 1, packages: ['git'], instructions: ['ENV LANG=C.UTF-8'] };

/** @returns {Promise<readonly string[]>} the names of the images that the engine has now */
export async function ensureGitImages() {
  const engine = findDocker();
  if (!engine.ok) {
    say(engine.message);
    return [];
  }
  const images = [];
  for (const suite of suites) {
    const made = await ensureOne(suite);
    if (made.ok) images.push(made.image);
    else say(`no git of ${suite}: ${made.message}`);
  }
  return images;
}

/** @param {string} suite @returns {Promise<{ok: true, image: string} | {ok: false, message: string}>} */
function ensureOne(suite) {
  const key = createHash('sha256').update(JSON.stringify({ ...recipe, arch: arch() }));
  const image = `dewpoint-hostile-git:${suite}-${key.digest('hex').slice(0, 8)}`;
  const kept = join(cacheDir(), 'images', `${image.replace(':', '-')}.tar`);
  return withLock(`${kept}.lock`, `making an image with git of ${suite}`, async () => {
    if (await loadImage(kept, image)) return { ok: true, image };
    const made = await make(suite, image);
    if (!made.ok) return made;
    await keepImage(image, kept);
    return { ok: true, image };
  });
}

/** @param {string} suite @param {string} image @returns {Promise<{ok: true} | {ok: false, message: string}>} */
async function make(suite, image) {
  return inFreshTree(async (tree) => {
    say(`building an image with git of ${suite} (once, about a minute)`);
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
    const args = ['--variant=minbase', `--include=${recipe.packages.join(',')}`, suite, tree];
    const made = await stream('debootstrap', args, { quiet: true, env });
    if (!made.ok) return { ok: false, message: made.output.trim().slice(-1000) };
    return importTree(tree, image, recipe.instructions);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(await ensureGitImages())}\n`);
}
