interface PolicyDocument {
  readonly document: Document;
  /** For a library that ignores the given document: while `work` runs, the page's own document behaves like it. */
  readonly during: (work: () => void) => void;
  readonly dispose: () => void;
}

/**
 * A document for a library that writes style sheets and style attributes, which the page's policy forbids. Its style
 * sheets become constructed ones and its attributes become properties, which the policy allows.
 */
export function createPolicyDocument(): PolicyDocument {
  const sheets: CSSStyleSheet[] = [];
  const create = document.createElement.bind(document);
  const createElement = (name: string): HTMLElement =>
    name === 'style' ? standIn(create('span'), sheets) : obedient(create(name));
  const proxy = new Proxy(document, {
    get: (target, key) => {
      if (key === 'createElement') return createElement;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    document: proxy,
    during: (work) => {
      Object.defineProperty(document, 'createElement', { value: createElement, configurable: true });
      try {
        work();
      } finally {
        // The original method is on the prototype.
        Reflect.deleteProperty(document, 'createElement');
      }
    },
    dispose: () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
    },
  };
}

/** An element that takes the text in place of a style element. */
function standIn(element: HTMLElement, sheets: CSSStyleSheet[]): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.push(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  element.hidden = true;
  const take = (text: string): void => sheet.replaceSync(text);
  Object.defineProperty(element, 'textContent', { set: take });
  return element;
}

function obedient(element: HTMLElement): HTMLElement {
  const setAttribute = element.setAttribute.bind(element);
  element.setAttribute = (attribute, value) => {
    if (attribute === 'style') element.style.cssText = value;
    else setAttribute(attribute, value);
  };
  return element;
}
