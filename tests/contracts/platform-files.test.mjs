import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPackedFile, isPackedPackage, loadedAtRunTime, platforms } from '../../scripts/setup/packed-files.mjs';
import { cacheDir, root } from '../../scripts/setup/paths.mjs';
import { capture } from '../../scripts/setup/run.mjs';
import { findNode, findRipgrep, platformFile } from '../../src/main/lib/programs/platform-files.ts';

/**
 * Catches: a package or a file in it that has another name on a platform that no developer uses. Downloads the real
 * packages of the lock file, and looks for each file with the code that looks for it on that platform.
 */
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
const machines = Object.keys(platforms).map((name) => {
  const [platform, arch] = name.split('-');
  return { name, platform, arch };
});
const cache = join(cacheDir(), 'platform-packages');
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-platforms-'));
  const packages = Object.values(platforms).flatMap((platform) => Object.values(platform.packages));
  const names = [...new Set(packages.map((one) => one.package))];
  fetchMissing(names.filter((name) => !existsSync(keptOf(name))));
  for (const name of names) cpSync(keptOf(name), join(folder, 'node_modules', name), { recursive: true });
  // 290 MB are downloaded, beside builds.
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lockedOf(name) {
  const { version, integrity, name: published = name } = lock[`node_modules/${name}`];
  return {
    spec: `${published}@${version}`,
    integrity,
    file: `${published.replace('@', '').replace('/', '-')}-${version}`,
  };
}

/**
 * What is cached of a package: the names of its files, and the whole content of files that are read. The archives take
 * 290 MB and are not kept.
 */
function keptOf(name) {
  return join(cache, lockedOf(name).file);
}

/** Downloads with npm, which knows the registry, the proxy and the certificates of this machine. */
function fetchMissing(names) {
  if (names.length === 0) return;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.fetch-'));
  const specs = names.map((name) => lockedOf(name).spec);
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', work, ...specs];
  const done = capture('npm', args, { timeoutMs: 100_000 });
  if (!done.ok) throw new Error(`the packages of the platforms could not be fetched: ${done.stderr}`);
  for (const name of names) renameSync(layOut(name, work), keptOf(name));
  rmSync(work, { recursive: true });
}

/** Creates every file under its name, empty if only its existence counts. Node's headers and manuals are left out. */
function layOut(name, work) {
  const { integrity, file } = lockedOf(name);
  const archive = join(work, `${file}.tgz`);
  expect(`sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`, name).toBe(integrity);
  const place = join(work, file);
  mkdirSync(place);
  const list = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8', maxBuffer: 1 << 24 }).split('\n');
  const read = ['package/package.json', 'package/lib/keytar.js', 'package/dist/index.js'];
  for (const line of list.filter((entry) => entry !== '' && !/^package\/(?:include|share|src)\/|\/$/u.test(entry))) {
    const path = join(place, line.replace(/^[^/]+\//u, ''));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }
  const wanted = read.filter((entry) => list.includes(entry));
  execFileSync('tar', ['-xzf', archive, '-C', place, '--strip-components=1', ...wanted]);
  return place;
}

describe.each(machines)('on $name', (machine) => {
  const { packages, packed } = platforms[machine.name];
  const placeOf = (part) => join(folder, 'node_modules', packages[part].package, packages[part].file);

  it('every program and native library is found by what looks for it there', () => {
    const script = resolve('tests/contracts/platform-lookups.mjs');
    const found = JSON.parse(
      execFileSync(process.execPath, [script, folder, machine.platform, machine.arch], { encoding: 'utf8' }),
    );
    expect({
      ...found,
      node: findNode(folder, machine),
      search: findRipgrep(pathToFileURL(join(folder, 'main.js')).href, machine),
    }).toEqual(Object.fromEntries(Object.keys(packages).map((part) => [part, placeOf(part)])));
    expect(Object.keys(packages).filter((part) => !existsSync(placeOf(part)))).toEqual([]);
    expect(platformFile('node', machine)).toEqual(packages.node);
  });

  it('packing takes each of these files, and no native library of another machine', () => {
    const paths = [...loadedAtRunTime(platforms[machine.name]), packages.engine.package];
    for (const { package: name, file } of Object.values(packages)) {
      expect(paths).toContain(name);
      expect(isPackedPackage(`node_modules/${name}`, platforms[machine.name]), name).toBe(true);
      expect(isPackedFile(`/app/node_modules/${name}/${file}`, machine.name), file).toBe(true);
    }
    const others = Object.values(platforms).filter((other) => other.packed.program !== packed.program);
    for (const other of others) {
      expect(isPackedPackage(`node_modules/${other.packages.engine.package}`, platforms[machine.name])).toBe(false);
      const { package: name, file } = other.packages.keys;
      expect(isPackedFile(`/app/node_modules/${name}/${file}`, machine.name)).toBe(false);
    }
  });
});

it('the lock file has one Node for each machine, marked with its system', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(
    Object.values(platforms)
      .map(({ packages }) => packages.node.package)
      .sort(),
  ).toEqual(Object.keys(optionalDependencies).sort());
  for (const { name, platform, arch } of machines)
    expect(lock[`node_modules/${platforms[name].packages.node.package}`]).toMatchObject({ os: platform, cpu: arch });
});

it('the packed app holds LICENSE.md files, but no README and no history of llama.cpp', () => {
  const ships = (file) => isPackedFile(`/app/node_modules/${file}`, 'linux-x64');
  expect(ships('undici/LICENSE.md')).toBe(true);
  expect(ships('undici/README.md')).toBe(false);
  expect(ships('node-llama-cpp/llama/gitRelease.bundle')).toBe(false);
});
