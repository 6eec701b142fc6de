// node scripts/pictures.mjs [FOLDER]: takes pictures of the built window in its states, into docs/images or FOLDER.
import { spawnSync } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = resolve(process.argv[2] ?? join(root, 'docs', 'images'));
const args = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'pictures'];
const env = { ...process.env, DEWPOINT_PICTURES: folder };
process.exit(spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);
