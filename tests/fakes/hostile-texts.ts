/** Texts that act on a terminal, hide a part of a line, reverse it, or pass for another text. Keys name the effect. */
export const hostileTexts: Readonly<Record<string, string>> = {
  'a title': 'x\u001B]0;owned\u0007y',
  'the clipboard': 'x\u001B]52;c;aGk=\u001B\\y',
  'a link': 'x\u001B]8;;https://evil.example\u001B\\y\u001B]8;;\u001B\\',
  'a title without an end': 'x\u001B]0;y',
  'a screen that is cleared': 'x\u001B[2J\u001B[1;1Hy',
  'a line that is gone over': 'x\u001B[1A\u001B[2Ky',
  'letters of no color': 'x\u001B[8my\u001B[30;40mz',
  'a color of ours': 'x\u001B[32m\u2714 passed\u001B[39my',
  'a sequence without an end': 'x\u001B[',
  'a device string': 'x\u001BP+q544e\u001B\\y',
  'an application string': 'x\u001B_Gf=100\u001B\\y',
  'a reset': 'x\u001Bcy',
  'eight bits': 'x\u009B2Jy\u009D0;z\u009C',
  'a bell': 'x\u0007y',
  'a carriage return': 'rm -rf /\rls',
  backspaces: 'x\b\by',
  'a delete': 'x\u007Fy',
  'a NUL': 'x\u0000y',
  'a next line': 'x\u0085y',
  'lines of other kinds': 'x\u2028y\u2029z',
  'a line of ours': 'x\nIf you say yes, the agent makes this one change.\nAllow? [y/N] y',
  'a form feed': 'x\f\vy',
  'a turned name': 'x\u202Egpj.exe\u202C',
  'turned parts': 'x\u2066y\u2069\u200F\u061Cz',
  'no width': 'x\u200By\u200Cz\u2060\uFEFF\u00AD',
  'no picture': 'x\u2800\u034F\u115F\u1160\u17B4\u180E\u3164\uFFA0y',
  'variation selectors': 'x\uFE0F\uFE01\u{E0101}y',
  'a text of tags': 'x\u{E0073}\u{E0061}\u{E0079}\u{E0001}\u{E007F}y',
  'a private character': 'x\uE000y\u{10FFFD}',
  'half a character': 'x\uD800y',
};

/**
 * Characters that foreign text must never bring to a terminal. Line breaks are Dewpoint's own, and tabs belong to code.
 */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const harmful = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u;

/** The colors that the command line writes itself. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const ourColors = /\u001B\[(?:1|2|22|3[1-6]|39)m/gu;

/**
 * The part around the first harmful character of a written text. Null: none. `hasColors`: Dewpoint's own colors are
 * allowed.
 */
export function harmIn(written: string, hasColors = false): string | null {
  const text = hasColors ? written.replace(ourColors, '') : written;
  const found = harmful.exec(text);
  return found === null ? null : JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 40));
}
