import { textOfSpan, type Span } from '../code/code-spans.ts';
import type { CodeLanguage } from '../code/code-syntax.ts';
import type { Question } from '../define.ts';
import { opening } from '../fix/prompts/fix-prompts.ts';
import { isProse } from '../write/new-file.ts';
import { fenceName, roughTokens, showFile } from '../code/show-code.ts';
import type { Chunk } from '../context/rank-project-chunks.ts';

const system = 'You are an expert programmer who changes code exactly as asked.';
const maxFileTokens = 900;

function base(label: string, user: string, prefill: string | null, maxOutputTokens: number): Question {
  return {
    purpose: 'propose',
    label,
    system,
    user,
    prefill,
    output: { type: 'text' },
    stop: ['\n```'],
    temperature: 0,
    topP: 0.95,
    seed: null,
    maxOutputTokens,
  };
}

/** Asks for one of the places by number; `none` is always possible. */
export function placeQuestion(task: string, places: readonly Chunk[]): Question {
  const listed = places.map(
    (place, index) =>
      `${index + 1}. ${place.span?.name ?? place.path} in ${place.path}:\n${place.text
        .split('\n')
        .slice(0, place.span === null ? 24 : 10)
        .join('\n')}`,
  );
  const user = `${task}\n\nWhich of these places must be changed?\n\n${listed.join('\n\n')}\n\nAnswer with its number, or none.`;
  return {
    ...base('choose the place to change', user, null, 4),
    purpose: 'choose',
    output: { type: 'choice', options: [...places.map((_, index) => String(index + 1)), 'none'] },
    stop: [],
  };
}

/** For a text in a language whose words are not known here. */
export function workQuestion(task: string): Question {
  const user = `A user of a coding assistant writes:\n${task.slice(0, 600)}\n\nDoes the user want a change of the files, or an answer? Say change or answer.`;
  return {
    ...base('tell whether a change is asked for', user, null, 4),
    purpose: 'choose',
    output: { type: 'choice', options: ['change', 'answer'] },
    stop: [],
  };
}

export function changeQuestion(
  task: string,
  about: { readonly span: Span; readonly text: string; readonly temperature: number; readonly seed: number | null },
): Question {
  const { span, text, temperature, seed } = about;
  const shown = showFile(text, [], [span], maxFileTokens);
  const user = `${task}\n\nFile ${span.path}:\n\`\`\`${fenceName[span.language]}\n${shown}\n\`\`\`\n\nChange ${span.name} so that it does what is asked. Write the whole changed ${span.name}, only that, in one code block.`;
  const how = temperature === 0 ? 'greedy' : `temperature ${temperature}`;
  const head = needsNewSignature(task) ? '' : opening(span, text);
  // Without a prefilled start, a small model often writes the file from its top.
  const written = head === '' ? shown : textOfSpan(text, span);
  const room = Math.min(700, Math.ceil(roughTokens(written) * (head === '' ? 1.2 : 1.5)) + 80);
  return {
    ...base(`change ${span.name} in ${span.path} (${how})`, user, `\`\`\`${fenceName[span.language]}\n${head}`, room),
    temperature,
    seed,
  };
}

/** Whether a task changes the signature, which must then not be prefilled. */
function needsNewSignature(task: string): boolean {
  return /\b(parameters?|arguments?|options?|flags?|async|keyword|signature|rename|type ?hints?|annotations?)\b/i.test(
    task,
  );
}

export function newCodeQuestion(
  task: string,
  about: {
    readonly name: string | null;
    readonly path: string;
    readonly language: CodeLanguage;
    readonly text: string;
  },
): Question {
  const shown = showFile(about.text, [], [], maxFileTokens);
  const fence = fenceName[about.language];
  if (about.name === null) {
    const user = `${task}\n\nFile ${about.path}:\n\`\`\`${fence}\n${shown}\n\`\`\`\n\nWrite only the new code that is added at the end of ${about.path}, in one code block.`;
    return base(`write new code in ${about.path} (greedy)`, user, `\`\`\`${fence}\n`, 350);
  }
  const user = `${task}\n\nFile ${about.path}:\n\`\`\`${fence}\n${shown}\n\`\`\`\n\n${about.name} does not exist yet. Write ${about.name}, only that, in one code block.`;
  const start =
    about.language === 'python'
      ? `def ${about.name}(`
      : `${/^export /m.test(about.text) ? 'export ' : ''}function ${about.name}(`;
  return base(`write ${about.name} in ${about.path} (greedy)`, user, `\`\`\`${fence}\n${start}`, 350);
}

export function wholeFileQuestion(task: string, path: string, text: string): Question {
  const room = Math.min(1_200, Math.ceil(roughTokens(text) * 1.4) + 220);
  const label = `rewrite ${path} (greedy)`;
  if (isProse(path)) {
    // Prose may contain code blocks, so a fence cannot mark where it starts and ends.
    const user = `${task}\n\nThe file ${path}:\n\n${text.trimEnd()}\n\n(End of ${path}.) Write the whole changed file and nothing else.`;
    return { ...base(label, user, null, room), stop: [] };
  }
  const user = `${task}\n\nFile ${path}:\n\`\`\`\n${text.trimEnd()}\n\`\`\`\n\nWrite the whole changed file, only that, in one code block.`;
  return base(label, user, '```\n', room);
}

/** Asks for a new section, which is added at the end of a text. `code`: parts of the project that it may refer to. */
export function newSectionQuestion(
  task: string,
  about: { readonly path: string; readonly text: string; readonly code: string },
): Question {
  const { path, text, code } = about;
  const parts = code === '' ? '' : `Parts of the project:\n\n${code}\n\n`;
  const user = `${parts}The file ${path}:\n\n${text.trimEnd()}\n\n(End of ${path}.)\n\n${task}\nWrite only the new section, in Markdown, short, with its heading first.`;
  return { ...base(`write a section for ${path} (greedy)`, user, '## ', 400), stop: [] };
}
