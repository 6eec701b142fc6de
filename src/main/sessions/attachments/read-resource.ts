import { AppError } from '@shared/errors.ts';
import { maxAttachments } from '@shared/attachments/attachment-text.ts';
import { seenLineText } from '@shared/text/seen-text.ts';
import { compileFences } from '@shared/safety/fences.ts';
import { createFenceTaint } from '../../safety/taint.ts';
import { isSecretFile } from '../../sandbox/workspace/secret-files.ts';
import type { FenceSources } from '@shared/safety/fences.ts';
import type { ServerLibrary } from '../../tools/servers/server-library.ts';

export interface LibraryReach {
  /** What tool servers offer for messages of a project. */
  readonly library: (projectPath: string | null) => ServerLibrary;
  /** The current fences of a project, from rule files and settings. */
  readonly fences: (projectPath: string | null) => Promise<FenceSources>;
}

interface Wanted {
  readonly projectPath: string | null;
  readonly server: string;
  readonly uri: string;
}

export interface Part {
  readonly name: string;
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/** The content at an address of a tool server. The address leaves this machine, so the fences check it first. */
export async function readResource(
  options: LibraryReach,
  { projectPath, server, uri }: Wanted,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const library = options.library(projectPath);
  if (library.leaves(server)) await refuseFenced(options, { projectPath, server, texts: [uri, decoded(uri)] });
  const contents = await library.read(server, uri, signal);
  if (contents.length === 0) throw new AppError('not-found', `The tool server ${server} has nothing at ${uri}.`);
  return partsOf(server, uri, contents);
}

/** A prompt of a tool server and its attachments. Its arguments leave this machine: the fences check them first. */
export async function readPrompt(
  options: LibraryReach,
  { projectPath, ...asked }: Omit<Wanted, 'uri'> & { readonly name: string; readonly values: Values },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly parts: readonly Part[] }> {
  const { server, name, values } = asked;
  const library = options.library(projectPath);
  if (library.leaves(server)) await refuseFenced(options, { projectPath, server, texts: Object.values(values) });
  const { text, contents } = await library.prompt(asked, signal);
  if (text.length > mostPromptCharacters) {
    throw new AppError('too-large', `The prompt ${name} of ${server} has ${text.length} characters. That is too long.`);
  }
  // Makes everything visible to the user who sends it.
  const seen = text.split('\n').map(seenLineText).join('\n');
  return { text: seen, parts: partsOf(server, name, contents) };
}

type Values = Readonly<Record<string, string>>;
const mostPromptCharacters = 100_000;

function partsOf(server: string, from: string, contents: readonly Omit<Part, 'name'>[]): readonly Part[] {
  if (contents.length > maxAttachments) {
    throw new AppError('too-large', `${from} has ${contents.length} parts. A message takes at most ${maxAttachments}.`);
  }
  return contents.map((one) => ({ ...one, name: resourceFileName(server, one.uri) }));
}

interface Leaving {
  readonly projectPath: string | null;
  readonly server: string;
  readonly texts: readonly string[];
}

/** Rejects if a text that the server would get contains fenced content. */
async function refuseFenced({ fences }: LibraryReach, { projectPath, server, texts }: Leaving): Promise<void> {
  const settings = await fences(projectPath);
  const taint = createFenceTaint(compileFences({ settings, projectPath, isSecretFile }));
  const [hit] = texts.flatMap((text) => taint.inText(text));
  if (hit === undefined) return;
  throw new AppError('refused', `The request to ${server} contains restricted content: ${hit.rule}.`, {
    hint: 'Nothing was sent.',
  });
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    // Not URL-encoded: it is checked as it is.
    return uri;
  }
}

/** The last part of the address, after the name of the server. */
function resourceFileName(server: string, uri: string): string {
  const last =
    decoded(uri)
      .split(/[/\\?#]/u)
      .findLast((part) => part !== '') ?? uri;
  return `${server}: ${last.slice(0, 120)}`;
}
