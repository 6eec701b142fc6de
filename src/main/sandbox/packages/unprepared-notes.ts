import type { ProjectFiles } from './package-files.ts';

interface Unprepared {
  /** The names of files that want it. */
  readonly files: RegExp;
  readonly note: string;
}

/** What projects want and Dewpoint cannot bring, each with what to do. */
const kinds: readonly Unprepared[] = [
  {
    files: /\.(?:slnx?|csproj|fsproj|vbproj)$/,
    note: 'This project needs .NET, which no package of Debian has. Use an image that has "dotnet" and the packages of NuGet: dewpoint sandbox image pull NAME',
  },
  {
    files: /^(?:build|settings)\.gradle(?:\.kts)?$/,
    note: 'Packages of Gradle are not prepared. Commands find those that the image has, with "gradle --offline".',
  },
];

/** Sentences about what the top of a project, and its folders with packages, want and cannot get. */
export function unpreparedNotes({ top, below }: Pick<ProjectFiles, 'top' | 'below'>): readonly string[] {
  const names = [top, ...below.map((one) => one.top)].flatMap((one) => [...one.names]);
  return kinds.filter(({ files }) => names.some((name) => files.test(name))).map(({ note }) => note);
}
