import type { PageCore } from './page-core.ts';
import { startStory } from './page-story.ts';
import type { Story } from './page-story.ts';
import type { ChangedFile } from '@shared/contract/sessions-contract.ts';

const project = '/home/ada/projects/large';

/** Sizes that exceed what a window can draw at once. */
const sizes = {
  diffLines: 20_000,
  // The most of an output that the core returns (`ToolDetail`).
  lineCharacters: 1_048_576,
  files: 3000,
  sessions: 2000,
  projects: 200,
  messageCharacters: 1_000_000,
  columns: 500,
  rows: 60,
  codeLines: 10_000,
} as const;

function times(count: number, text: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => text(index)).join('\n');
}

function changeOf(path: string, lines: number): ChangedFile {
  const diff = `--- a/${path}\n+++ b/${path}\n@@ -1,0 +1,${lines} @@\n${times(lines, (line) => `+line ${line} of ${path}`)}\n`;
  return { path, kind: 'added', added: lines, removed: 0, diff, state: 'open' };
}

/** One change of 20,000 lines. */
async function longDiffScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'A diff of 20,000 lines', project);
  story.ask('Generate the table.');
  story.changed('table.csv', sizes.diffLines, 0);
  story.end('done', 'Generated.');
  core.changes.set(story.sessionId, [changeOf('table.csv', sizes.diffLines)]);
  return story;
}

async function manyFilesScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'A change of 3,000 files', project);
  story.ask('Rename it everywhere.');
  const files = Array.from({ length: sizes.files }, (_, index) =>
    changeOf(`src/part-${index % 40}/file-${index}.ts`, 12),
  );
  for (const { path } of files) story.changed(path, 12, 0);
  story.end('done', 'Renamed.');
  core.changes.set(story.sessionId, files);
  return story;
}

/** A command that printed one line of 1 MiB, and one that printed 20,000 lines. */
async function longOutputScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Output without an end', project);
  story.ask('Print it.');
  story.stage('local', 'A command.');
  const step = { stage: 'local', tool: 'run_command', input: { command: 'cat data' }, exitCode: 0 } as const;
  story.step({
    ...step,
    label: 'print one line',
    output: '0123456789'.repeat(Math.ceil(sizes.lineCharacters / 10)).slice(0, sizes.lineCharacters),
  });
  story.step({ ...step, label: 'print many lines', output: times(sizes.diffLines, (line) => `line ${line}`) });
  story.end('answered', 'Printed.');
  return story;
}

/** A question and a long answer. The folded state has the beginning of the answer, the log has the rest. */
async function talk(core: PageCore, title: string, { asked, said }: { readonly asked: string; readonly said: string }) {
  const story = await startStory(core, title, project);
  story.ask(asked);
  story.end('answered', said);
  const { state } = await core.client.sessions.show({ sessionId: story.sessionId });
  const detail = { request: null, parts: [], price: null, tools: [] };
  core.details.set(state.messages[0]?.messageId ?? '', { ...detail, text: asked });
  core.details.set(state.turns[0]?.id ?? '', { ...detail, text: said });
}

function megabyte(): string {
  const line = `${'words and '.repeat(7)}end`;
  return times(sizes.messageCharacters / 80, (index) => `${String(index).padStart(6, '0')} ${line}`);
}

function wideTable(): string {
  const row = (text: (column: number) => string): string =>
    `| ${Array.from({ length: sizes.columns }, (_, column) => text(column)).join(' | ')} |`;
  return [
    row((column) => `c${column}`),
    row(() => '---'),
    times(sizes.rows, (line) => row((column) => `${line}.${column}`)),
  ].join('\n');
}

function longCode(): string {
  return times(sizes.codeLines, (line) => `const value${line} = compute(${line}, 'text');`);
}

/** Right-to-left text, wide letters, pictures, and names that hide what they are. */
async function scriptsScene(core: PageCore): Promise<Story> {
  const story = await startStory(
    core,
    'Words of many scripts: تقرير \u202Egnp.exe\u202C 報告書 👩🏽‍💻\u0007',
    `${project}/מסמכים 資料 📁`,
  );
  story.ask('راجع ملف README.md من فضلك، ثم شغّل `npm test`.\n日本語の文章も、改行されます。👨‍👩‍👧‍👦🏳️‍🌈');
  story.stage('local', 'قاعدة: local أولا.');
  const path = 'src/\u202Ecod.exe\u202C/новый\u0000\n файл 名前.py';
  story.step({ stage: 'local', label: `edit ${path}`, tool: 'edit_file', input: { path }, output: 'תוקן' });
  story.changed(path, 2, 1);
  story.end(
    'done',
    'תוקן. הקובץ `a.py` שונה.\n\n- اختبار واحد\n- テスト二つ\n\n| 名前 | قيمة |\n|---|---|\n| あ | ١ |',
  );
  core.changes.set(story.sessionId, [{ ...changeOf(path, 3) }]);
  return story;
}

/** A session list that grew for years, over many projects. */
async function manySessions(core: PageCore): Promise<void> {
  const start = Date.now() - sizes.sessions * 3_600_000;
  for (let index = 0; index < sizes.sessions; index += 1) {
    core.setTime(start + index * 3_600_000);
    const story = await startStory(
      core,
      `Session ${String(index).padStart(4, '0')} about a thing`,
      `/home/ada/projects/p${index % sizes.projects}`,
    );
    story.ask('A task.');
    story.end('answered', 'An answer.');
  }
}

/** A home with all stress scenes. */
export async function furnishStress(core: PageCore): Promise<void> {
  await manySessions(core);
  core.setTime(Date.now() - 600_000);
  await longDiffScene(core);
  await manyFilesScene(core);
  await longOutputScene(core);
  await talk(core, 'A message of a megabyte', { asked: megabyte(), said: 'Read.' });
  await talk(core, 'A table of 500 columns', {
    asked: 'Show the table.',
    said: `Here it is:\n\n${wideTable()}\n\nThat is all.`,
  });
  await talk(core, 'Code of 10,000 lines', {
    asked: 'Show the code.',
    said: `Here it is:\n\n\`\`\`ts\n${longCode()}\n\`\`\`\n\nThat is all.`,
  });
  await scriptsScene(core);
  // No session is added after this. The fake core would fold 2,000 logs each time the list is read.
  const sessions = await core.client.sessions.list();
  core.replace({ sessions: { list: () => sessions } });
}
