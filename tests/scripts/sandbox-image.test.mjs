import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/setup/paths.mjs';
import { recipe } from '../../scripts/setup/sandbox-bootstrap.mjs';

const dockerfile = readFileSync(join(root, 'resources', 'sandbox', 'Dockerfile'), 'utf8');

describe('the sandbox image', () => {
  it('has the same packages with and without an image registry', () => {
    const listed = /--no-install-recommends \\\n([\s\S]*?)&&/.exec(dockerfile)?.[1] ?? '';
    expect(listed.replaceAll('\\', '').split(/\s+/).filter(Boolean).sort()).toEqual([...recipe.packages].sort());
  });

  it('has the same environment, except the PATH that the base image brings', () => {
    const block = /^ENV ([\s\S]*?[^\\])\n\n/m.exec(dockerfile)?.[1] ?? '';
    const variables = block.replaceAll('\\', '').split(/\s+/).filter(Boolean).sort();
    const ours = recipe.settings.filter((line) => line.startsWith('ENV ') && !line.startsWith('ENV PATH='));
    expect(variables).toEqual(ours.map((line) => line.slice('ENV '.length)).sort());
  });

  it('has the major version of Node in both', () => {
    expect(/^FROM node:(\d+)-/m.exec(dockerfile)?.[1]).toBe(recipe.nodeVersion.split('.')[0]);
  });
});
