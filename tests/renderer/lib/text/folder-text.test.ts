import { expect, it } from 'vitest';
import { folderText, typedFolder } from '../../../../src/renderer/lib/text/folder-text.ts';

const code = '~0123456789abcdef/code';
const notes = '~fedcba9876543210/notes';

it('the text for a folder leaves out the id of its root, and is read back as typed', () => {
  expect(folderText(`${code}/app`)).toBe('code/app');
  expect(folderText('/home/ann/code')).toBe('/home/ann/code');
  const typed = ['code/app', 'notes', 'app/web', 'codes', ` ${notes}/a `, '/etc', ''];
  expect(typed.map((text) => typedFolder(text, [code, notes]))).toEqual([
    `${code}/app`,
    notes,
    `${code}/app/web`,
    `${code}/codes`,
    `${notes}/a`,
    '/etc',
    '',
  ]);
  expect(typedFolder(' /home/ann/code ', [])).toBe('/home/ann/code');
});
