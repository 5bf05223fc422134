// The composed tree: open shadow roots, slots and same-origin frames are walked through; geometry in window coordinates.

const SKIPPED_TAGS = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'BASE', 'OBJECT', 'EMBED', 'DATALIST']);

// The document inside a frame element, when its origin is ours.
function frameDocument(element) {
  if (safe(element).localName !== 'iframe' && safe(element).localName !== 'frame') return null;
  try { return safe(element).contentDocument; } catch { return null; }
}

function composedChildren(node) {
  const own = safe(node);
  if (own.nodeType !== 1) return own.childNodes;
  const inner = frameDocument(node);
  if (inner) return safe(inner).documentElement ? [safe(inner).documentElement] : [];
  if (own.shadowRoot) return own.shadowRoot.childNodes;
  if (own.localName === 'slot') {
    const assigned = own.assignedNodes();
    if (assigned.length) return assigned;
  }
  return own.childNodes;
}

// Parent in the composed tree; from a document it is the frame element that shows it.
function composedParent(node) {
  const own = safe(node);
  if (own.assignedSlot) return own.assignedSlot;
  const parent = own.parentNode;
  if (!parent) return null;
  const type = safe(parent).nodeType;
  if (type === 11) return safe(parent).host ?? null;
  if (type === 9) {
    try { return safe(parent).defaultView?.frameElement ?? null; } catch { return null; }
  }
  return parent;
}

function composedContains(outer, node) {
  for (let at = node; at; at = composedParent(at)) if (at === outer) return true;
  return false;
}

function composedClosest(node, selector) {
  for (let at = node; at; at = composedParent(at)) if (safe(at).nodeType === 1 && safe(at).matches(selector)) return at;
  return null;
}

// Where a document's own coordinates start in the window's.
function frameOffset(doc) {
  let x = 0, y = 0;
  for (let view = safe(doc).defaultView; view && view !== globalThis.window;) {
    let frame = null;
    try { frame = view.frameElement; } catch { break; }
    if (!frame) break;
    const own = safe(frame), box = own.getBoundingClientRect();
    x += box.left + own.clientLeft;
    y += box.top + own.clientTop;
    view = safe(own.ownerDocument).defaultView;
  }
  return { x, y };
}

// Pages style real checkboxes away and show their label instead.
function isHiddenControl(element) {
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.visibility !== 'visible') return true;
  const box = safe(element).getBoundingClientRect();
  return Number(style.opacity) === 0 || box.width <= 1 || box.height <= 1 || box.right < 0 || box.bottom + scrollY < 0;
}

// What a person would press in place of a control that is styled away.
function visibleLabel(element) {
  for (const label of safe(element).labels ?? []) {
    if (!safe(label).checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const box = safe(label).getBoundingClientRect();
    if (box.width > 1 && box.height > 1) return label;
  }
  return null;
}

function isSecretField(element) {
  return safe(element).type === 'password' || secretNodes.has(element) || secretFingerprints.has(fingerprints.get(element) ?? '');
}

// JSON of a result. Cutting a text may halve a character, and pages hold halves of their own: neither is valid elsewhere.
function pack(value) {
  const json = JSON.stringify(value);
  return /\\ud[89a-f]/.test(json) ? json.replace(/\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd') : json;
}

function squeeze(text, limit) {
  const squeezed = text.replace(/\s+/g, ' ').trim();
  return squeezed.length > limit ? squeezed.slice(0, limit).trimEnd() : squeezed;
}

// Text of a subtree as a person reads it, with the words of images; at most about `limit` characters.
function textOf(root, limit) {
  let text = '';
  const visit = (node, depth) => {
    if (text.length > limit || depth > 40) return;
    const own = safe(node);
    // White space is squeezed later, so more than the limit is taken.
    if (own.nodeType === 3) { text += own.data.slice(0, 1000 + 10 * limit); return; }
    if (own.nodeType !== 1 || SKIPPED_TAGS.has(own.tagName)) return;
    if (node !== root && !own.checkVisibility({ visibilityProperty: true })) return;
    const tag = own.localName;
    if (tag === 'img') { text += ` ${own.alt} `; return; }
    if (tag === 'select' || tag === 'textarea' || tag === 'iframe') return;
    if (tag === 'input') { if (/^(submit|button|reset)$/.test(own.type)) text += ` ${own.value} `; return; }
    if (tag === 'svg') { text += ` ${safe(own.querySelector('title'))?.textContent ?? own.getAttribute('aria-label') ?? ''} `; }
    if (node !== root && own.getAttribute('aria-hidden') === 'true') return;
    const words = node !== root && own.getAttribute('aria-label');
    if (words) { text += ` ${words} `; return; }
    for (const child of composedChildren(node)) { if (text.length > limit) break; visit(child, depth + 1); }
    if (BLOCK_TAGS.has(own.tagName)) text += ' ';
  };
  visit(root, 0);
  return squeeze(text, limit);
}

const BLOCK_TAGS = new Set(['ADDRESS', 'ARTICLE', 'ASIDE', 'BLOCKQUOTE', 'BR', 'DD', 'DIV', 'DL', 'DT', 'FIELDSET', 'FIGCAPTION', 'FIGURE', 'FOOTER', 'FORM', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'HEADER', 'HR', 'LI', 'MAIN', 'NAV', 'OL', 'P', 'PRE', 'SECTION', 'SUMMARY', 'TABLE', 'TD', 'TH', 'TR', 'UL']);

// What this world remembers of the document's nodes.
const references = new Map();
const referenceOf = new WeakMap();
const fingerprints = new WeakMap();
const secretNodes = new WeakSet();
let secretFingerprints = new Set();
const listening = new WeakSet();
safe(document).addEventListener(CHANNEL, (event) => { listening.add(event.composedPath()[0]); event.stopImmediatePropagation(); }, true);
let lastReference = 0;
let lastTyped = null;

function refer(element) {
  let reference = referenceOf.get(element);
  if (!reference) {
    reference = `e${++lastReference}`;
    referenceOf.set(element, reference);
    references.set(reference, new WeakRef(element));
  }
  return reference;
}
