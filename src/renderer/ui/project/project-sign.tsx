import type { IconColor } from '@shared/projects/project-keys.ts';
import type { ProjectIcon } from '@shared/projects/project-record.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { canDraw } from '../../lib/drawing/can-draw.ts';
import { Icon } from '../layout/icon.tsx';

interface ProjectSignProps {
  readonly icon: ProjectIcon | null;
  /** Its first letter stands for an emoji that this machine cannot draw. */
  readonly name: string;
  /** Decides the usual sign. */
  readonly hasFolder: boolean;
  /** Larger, above a page. */
  readonly isLarge?: boolean;
}

/** Text on these is white in both looks, and each pair has a contrast of at least 4.5. */
export const signColors: Readonly<Record<IconColor, string>> = {
  gray: '#5b6472',
  red: '#b4282d',
  orange: '#9a4c00',
  green: '#1f7a3a',
  blue: '#2457c5',
  purple: '#7a3fb8',
};

/** The icon of a project: an emoji, a letter on a color, or a folder. The name beside it says what it is. */
export function ProjectSign({ icon, name, hasFolder, isLarge = false }: ProjectSignProps) {
  const size = isLarge ? 'size-9 text-xl rounded-lg' : 'size-4 text-xs rounded';
  if (icon === null)
    return (
      <Icon name={hasFolder ? 'folder' : 'file'} className={isLarge ? 'size-7 text-soft' : 'size-3.5 text-soft'} />
    );
  const text = canDraw(icon.text) ? icon.text : firstLetter(name);
  const isLetter = /^[\p{L}\p{N}]/u.test(text);
  return (
    <span
      aria-hidden
      className={`${size} inline-flex shrink-0 items-center justify-center leading-none ${isLetter ? 'font-semibold text-white' : ''}`}
      style={isLetter ? { backgroundColor: signColors[icon.color] } : {}}
    >
      {seenName(text)}
    </span>
  );
}

/** In capitals, which are wider apart at this size. */
function firstLetter(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toLocaleUpperCase('en');
}
