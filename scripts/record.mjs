#!/usr/bin/env node
// node scripts/record.mjs: runs the README's first task with the starter model, on a copy of the example and in an
// empty home, and puts the terminal's output into docs/guide/sessions.md. Takes about a minute.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './setup/paths.mjs';

const begin = '<!-- recording:begin -->';
const end = '<!-- recording:end -->';
const commands = [
  ['run', '--project', 'examples/calculator', 'A test fails in this project. Find the bug and fix it.'],
  ['replay', 'last'],
];

const folder = mkdtempSync(join(tmpdir(), 'dewpoint-recording-'));
try {
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  // Downloads and builds run first, so that the recording does not show them.
  execFileSync(process.execPath, [join(root, 'scripts', 'start.mjs'), '--version'], { stdio: 'inherit' });
  const shown = commands.map((args) => `$ npm start -- ${args.map(quoted).join(' ')}\n${record(args)}`).join('\n');
  const about = `Recorded on ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} ${process.arch} cores, the model on the processor; lines as the program printed them into a pipe.`;
  const page = join(root, 'docs', 'guide', 'sessions.md');
  const text = readFileSync(page, 'utf8');
  const [before, rest = ''] = text.split(begin);
  const after = rest.slice(rest.indexOf(end));
  writeFileSync(page, `${before}${begin}\n${about}\n\n\`\`\`\n${shown}\`\`\`\n${after}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns both streams in the order of their lines, and how long it took. @param {readonly string[]} args */
function record(args) {
  const file = join(folder, 'printed');
  const printed = openSync(file, 'w');
  const started = Date.now();
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'start.mjs'), ...args], {
    cwd: folder,
    env: { ...process.env, DEWPOINT_HOME: join(folder, 'home') },
    stdio: ['ignore', printed, printed],
  });
  closeSync(printed);
  const text = readFileSync(file, 'utf8').replaceAll(folder, '~');
  if (status !== 0) throw new Error(`It ended with ${status}, and docs/guide/sessions.md was not changed:\n${text}`);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  return `${text}(${seconds} s in all)\n`;
}

/** @param {string} word */
function quoted(word) {
  return word.includes(' ') ? `"${word}"` : word;
}
