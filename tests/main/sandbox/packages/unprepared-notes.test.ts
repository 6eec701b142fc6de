import { describe, expect, it } from 'vitest';
import type { ProjectTop } from '../../../../src/main/sandbox/packages/package-files.ts';
import { unpreparedNotes } from '../../../../src/main/sandbox/packages/unprepared-notes.ts';

const top = (...names: readonly string[]): ProjectTop => ({ texts: new Map(), names: new Set(names) });

describe('what cannot be prepared for a project', () => {
  it.each([
    ['.NET for a solution', top('App.sln'), /needs \.NET, which no package of Debian has/],
    ['.NET for a project file', top('App.csproj'), /dewpoint sandbox image pull/],
    ['packages of Gradle', top('build.gradle.kts'), /Packages of Gradle are not prepared/],
  ])('is said: %s', (_name, project, expected) => {
    expect(unpreparedNotes({ top: project, below: [] })).toEqual([expect.stringMatching(expected)]);
    expect(unpreparedNotes({ top: top(), below: [{ folder: 'a', top: project }] })).toHaveLength(1);
  });

  it('is nothing for a project of Maven, or with similar names', () => {
    expect(unpreparedNotes({ top: top('pom.xml', 'mybuild.gradle', 'a.csproj.txt'), below: [] })).toEqual([]);
  });
});
