/**
 * Draws foreign HTML without its scripts. What the HTML says is read into a document that loads nothing, and only what is
 * on the lists below is made anew in this one, node by node. No text is parsed twice, so nothing can change its meaning
 * between the check and the drawing. Contents of templates, foreign elements and everything unknown stay behind. An SVG
 * becomes an image, which runs and loads nothing.
 */
const plain = new Set(
  (
    'a abbr address article aside audio b bdi bdo big blockquote br button caption center cite code col ' +
    'colgroup data dd del details dfn dialog div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header ' +
    'hgroup hr i img input ins kbd label legend li main mark menu meter nav ol optgroup option output p pre progress q rp rt ' +
    'ruby s samp search section select small span strike strong sub summary sup table tbody td textarea tfoot th thead time ' +
    'tr tt u ul var video wbr'
  ).split(' '),
);
const gone = new Set(
  (
    'applet base embed fencedframe frame frameset head iframe link math meta noembed noframes object param ' +
    'portal script source style template title track'
  ).split(' '),
);
const attributes = new Set(
  (
    'align alt bgcolor border cellpadding cellspacing checked class color cols colspan controls ' +
    'datetime dir disabled headers height hidden high id label lang low max min open optimum placeholder reversed role rows ' +
    'rowspan scope selected size span start step tabindex title type valign value width'
  ).split(' '),
);
const html = 'http://www.w3.org/1999/xhtml';
const most = { nodes: 50000, depth: 400 };
const inData = {
  img: /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|svg\+xml)[;,]/i,
  audio: /^data:audio\//i,
  video: /^data:video\//i,
};
let made = 0;

const isQuiet = (value) =>
  !/[\\]|(?:url|src|image|image-set|cross-fade|element|paint|attr)\(/i.test(
    value.replace(/url\("data:(?:image|font)\/[^"\\]*"\)/gi, ''),
  );
const quietStyle = (style) => {
  // What is removed would move the others while they are counted.
  for (const name of Array.from(style)) if (!isQuiet(style.getPropertyValue(name))) style.removeProperty(name);
};
const quietRules = (group) => {
  for (let at = group.cssRules.length - 1; at >= 0; at -= 1) {
    const rule = group.cssRules[at];
    if (rule.style) quietStyle(rule.style);
    if (rule.cssRules) quietRules(rule);
    else if (!rule.style && !isQuiet(rule.cssText)) group.deleteRule(at);
    if (rule instanceof CSSFontFaceRule && rule.style.getPropertyValue('src') === '') group.deleteRule(at);
  }
};
const sheetOf = (text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  quietRules(sheet);
  return sheet;
};

const asImage = (svg) => {
  const image = document.createElement('img');
  const text = new XMLSerializer().serializeToString(svg);
  image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
  for (const name of ['width', 'height', 'class', 'id'])
    if (svg.hasAttribute(name)) image.setAttribute(name, svg.getAttribute(name));
  image.alt = svg.getAttribute('aria-label') ?? '';
  return image;
};
const give = (to, from) => {
  const name = to.localName;
  for (const { name: key, value } of from.attributes) {
    if (key === 'style') {
      to.style.cssText = value;
      quietStyle(to.style);
    } else if (key === 'href' && name === 'a') {
      if (value.startsWith('#')) to.setAttribute(key, value);
    } else if (key === 'src') {
      if (inData[name]?.test(value)) to.setAttribute(key, value);
    } else if (key === 'type' && name === 'input') {
      if (!/^(?:image|file)$/i.test(value.trim())) to.setAttribute(key, value);
    } else if (attributes.has(key) || /^aria-[a-z]+$/.test(key)) to.setAttribute(key, value);
  }
};
const nodeOf = (from) => {
  if (from.nodeType === Node.TEXT_NODE) return document.createTextNode(from.data);
  if (from.nodeType !== Node.ELEMENT_NODE) return null;
  const name = from.localName;
  if (name === 'svg') return asImage(from);
  if (from.namespaceURI !== html || gone.has(name)) return null;
  const isKnown = plain.has(name) || /^[a-z][a-z0-9]*-[a-z0-9-]{1,60}$/.test(name);
  const to = document.createElement(isKnown ? name : 'div');
  give(to, from);
  return to;
};
const fill = (to, from, depth) => {
  for (const child of from.childNodes) {
    if (made >= most.nodes) return;
    made += 1;
    const node = nodeOf(child);
    if (node === null) continue;
    to.append(node);
    if (depth < most.depth && node.nodeType === Node.ELEMENT_NODE && child.localName !== 'svg')
      fill(node, child, depth + 1);
  }
};

addEventListener('message', (event) => {
  if (event.source !== parent || typeof event.data?.html !== 'string') return;
  const read = new DOMParser().parseFromString(event.data.html, 'text/html');
  made = 0;
  const body = document.createElement('body');
  if (read.body.localName === 'body') give(body, read.body);
  fill(body, read.body, 0);
  document.title = String(event.data.title);
  document.documentElement.lang = read.documentElement.lang;
  document.documentElement.className = read.documentElement.className;
  document.documentElement.replaceChild(body, document.body);
  document.adoptedStyleSheets = [...read.querySelectorAll('style')]
    .slice(0, 200)
    .map((style) => sheetOf(style.textContent));
});
parent.postMessage({ type: 'ready' }, '*');
