import { describe, expect, it } from 'vitest';
import { allowedText, allowsCall, offersTool, readAllowedTools } from '../../../src/shared/skills/allowed-tools.ts';
import { parseSkill } from '../../../src/shared/skills/skill-file.ts';
import { discoverTools } from '../../../src/main/tools/registry.ts';

const entriesOf = (field: string): readonly string[] => {
  const read = parseSkill('a-skill', `---\ndescription: x\n${field}\n---\nDo it.`);
  return read.ok ? read.value.allowedTools : ['(not read)'];
};
const read = (field: string) => readAllowedTools(entriesOf(`allowed-tools: ${field}`));
const command = (line: string) => ({ tool: 'run_command', command: line, paths: [], url: null });

describe('the allowed tools of a skill', () => {
  it.each([
    ['Read, Grep, Glob', 'read_file, search, find_symbol, symbol_info, search_documents, list_files, outline'],
    ['Read Grep', 'read_file, search, find_symbol, symbol_info, search_documents'],
    ['[Read, "Bash(git:*)"]', 'read_file, run_command (git:*)'],
    ['"Bash(git add:*), Bash(git commit *)"', 'run_command (git add:*, git commit *)'],
    ['Bash(*)', 'run_command, run_tests, services'],
    ['Bash(git:*) Bash', 'run_command, run_tests, services'],
    ['Write, Edit(src/**)', 'write_file, edit_file (src/**), apply_patch (src/**)'],
    ['run_command read_git', 'run_command, read_git'],
    ['mcp__github__create-issue mcp__jira__* mcp__slack', 'github__create_issue, jira__*, slack__*'],
    ['TodoWrite', 'none'],
  ])('%s means %s here', (field, text) => {
    const allowed = read(field);
    expect(allowed === null ? null : allowedText(allowed)).toBe(text);
    expect(allowed?.unknown).toEqual([]);
  });

  it.each(['', '[]', '"*"', 'Read *', '""'])('narrow nothing as %j', (field) => {
    expect(read(field)).toBeNull();
  });

  it('are read from a list over several lines', () => {
    const entries = entriesOf('allowed-tools:\n  - Read\n  - Bash(npm run test:*)');
    expect(allowedText(readAllowedTools(entries) ?? { tools: new Map(), servers: [], unknown: [] })).toBe(
      'read_file, run_command (npm run test:*)',
    );
  });

  it('name what is no tool here, and leave it out', () => {
    const allowed = read('Read Frobnicate Task(explore)');
    expect(allowed?.unknown).toEqual(['Frobnicate', 'Task(explore)']);
    const skill = parseSkill('a-skill', '---\nname: a-skill\ndescription: x\nallowed-tools: Frobnicate\n---\nDo it.');
    expect(skill).toMatchObject({ ok: true, value: { warnings: [expect.stringContaining('Frobnicate')] } });
  });

  it('that are unknown alone leave only what ends the task and asks the user', () => {
    const allowed = read('Frobnicate');
    const left = [...discoverTools().keys()].filter((name) => allowed !== null && offersTool(allowed, name, false));
    expect(left.sort()).toEqual(['ask_person', 'read_result', 'task_complete', 'update_plan']);
  });

  // A new tool that no skill can name would be lost to every skill that narrows.
  it.each([...discoverTools().keys()])('can name %s', (name) => {
    const allowed = readAllowedTools([name]);
    expect(allowed?.unknown).toEqual([]);
    expect(allowed !== null && offersTool(allowed, name, false)).toBe(true);
  });

  it.each([
    ['git status', true],
    ['git', true],
    ['cd sub && git log --oneline | git shortlog 2>&1', true],
    ['gitk', false],
    ['git status; rm -rf .', false],
    ['git log $(rm -rf .)', false],
    ['git log `rm x`', false],
    ['git show > notes.md', false],
    ['FOO=1 git status', false],
    ['git status\nnpm test', false],
    ['npm run build', true],
    ['npm run build --watch', false],
    ['pytest tests/a -q', true],
  ])('let "Bash(git:*)" and two more run %j: %s', (line, isAllowed) => {
    const allowed = readAllowedTools(['Bash(git:*)', 'Bash(npm run build)', 'Bash(pytest * -q)']);
    expect(allowed === null ? null : allowsCall(allowed, command(line))).toBe(isAllowed);
  });

  it('ask about paths and hosts between the brackets', () => {
    const allowed = readAllowedTools(['Read(docs/**)', 'WebFetch(domain:example.com)']);
    const file = (...paths: string[]) => ({ tool: 'read_file', command: null, paths, url: null });
    const page = (url: string) => ({ tool: 'web_read', command: null, paths: [], url });
    const may = (call: Parameters<typeof allowsCall>[1]) => allowed !== null && allowsCall(allowed, call);
    expect(
      [file('docs/a.md'), file('./docs/a/b.md'), file('src/a.ts'), file('docs/a.md', 'b'), file()].map(may),
    ).toEqual([true, true, false, false, false]);
    expect(
      [page('https://docs.example.com/a'), page('https://example.com.evil.org'), page('no address')].map(may),
    ).toEqual([true, false, false]);
  });
});
