import { expect, it } from 'vitest';
import { packagesNamedIn } from '../../../../src/main/sandbox/packages/package-commands.ts';

it.each<[string, readonly string[]]>([
  ['pip install six', ['python']],
  ['cd backend && python3 -m pip3.11 install six', ['python']],
  ['.venv/bin/pip install -r r.txt; npm ci', ['python', 'javascript']],
  ["bash -c 'pnpm add left'", ['javascript']],
  ['curl https://pip.example.org/npm.tar', []],
  ['cat pipeline.txt uv-notes yarn.lock', []],
])('the packages that %s names belong to the right package manager', (command, named) => {
  expect(packagesNamedIn(command)).toEqual(named);
});
