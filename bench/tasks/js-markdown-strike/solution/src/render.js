import { tokenize } from './tokens.js';

const TAGS = {
  emphasis: 'em',
  code: 'code',
  strike: 'del',
};

const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Renders one line of markdown as HTML. */
export function renderLine(line) {
  return tokenize(line)
    .map(({ type, text }) => {
      const tag = TAGS[type];
      return tag ? `<${tag}>${escapeHtml(text)}</${tag}>` : escapeHtml(text);
    })
    .join('');
}

/** Renders paragraphs; they are separated by blank lines. */
export function render(markdown) {
  return markdown
    .split(/\n\s*\n/)
    .map((block) => `<p>${renderLine(block.trim())}</p>`)
    .join('\n');
}
