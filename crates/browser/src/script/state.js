// Waiting for rest, masking for screenshots, and the state that a checkpoint keeps.

// When the document last changed, seen from the first moment our script was on it.
let lastChange = -1e9;
let onChange = null;
new MutationObserver(() => { lastChange = performance.now(); onChange?.(); }).observe(document, {
  subtree: true, childList: true, characterData: true, attributes: true,
  attributeFilter: ['hidden', 'disabled', 'open', 'class', 'aria-hidden', 'aria-expanded', 'aria-busy'],
});

// Resolves when nothing happened for `idleMs` from now on and the last change is `quietMs` ago, after `capMs` at the
// latest; a page that calls itself busy gets until `busyMs`.
function quiet(idleMs, quietMs, capMs, busyMs) {
  const began = performance.now();
  return new Promise((resolve) => {
    let timer = 0;
    const arm = () => {
      clearTimeout(timer);
      const now = performance.now();
      let rest = Math.min(Math.max(began + idleMs, lastChange + quietMs), began + capMs);
      if (rest <= now && now < began + busyMs && isBusy()) rest = now + 50;
      if (rest <= now) { onChange = null; resolve(true); } else timer = setTimeout(arm, rest - now);
    };
    onChange = arm;
    arm();
  });
}

function isBusy() {
  const busy = safe(document).querySelector('[aria-busy="true"]');
  return busy !== null && safe(busy).checkVisibility({ visibilityProperty: true });
}

// Resolves at the first change of the document, or after `capMs`.
function mutated(capMs) {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => { observer.disconnect(); clearTimeout(cap); resolve(true); });
    const cap = setTimeout(() => { observer.disconnect(); resolve(false); }, capMs);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}

// HTTP status of the document; 0 when it did not come by HTTP.
function status() { return performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0; }

function markSecret({ target }) {
  const { node, fault } = resolve(target);
  if (fault) return { fault };
  secretNodes.add(node);
  return { ok: true, fingerprint: fingerprints.get(node) ?? target.fingerprint };
}

let masks = [];

// Paints over secret fields by a style sheet of ours: the document itself stays as it is. With `cover`, the frames that
// this script cannot look into are left blank; not hidden, which would take the focus out of them.
function mask({ secrets, cover }) {
  unmask();
  recallSecrets(secrets);
  const counts = { painted: 0, covered: 0, uncovered: 0 };
  const visit = (scope, view) => {
    const fields = [], frames = [];
    for (const element of safe(scope).querySelectorAll('*')) {
      if (isEntry(element) && isSecretField(element) && (safe(element).value || safe(element).textContent)) fields.push(element);
      if (safe(element).shadowRoot) visit(safe(element).shadowRoot, view);
      const inner = frameDocument(element);
      if (safe(inner)?.defaultView) visit(inner, safe(inner).defaultView);
      else if (cover && /^(iframe|frame|object|embed)$/.test(safe(element).localName)) frames.push(element);
    }
    if (fields.length || frames.length) paint(scope, view, fields, frames);
    counts.painted += fields.length;
    // A page may insist on its own style.
    for (const frame of frames) counts[view.getComputedStyle(frame).opacity === '0' ? 'covered' : 'uncovered']++;
  };
  visit(document, globalThis);
  return counts;
}

const PAINTED = '{background:#333!important;color:transparent!important;-webkit-text-fill-color:transparent!important;text-shadow:none!important;caret-color:transparent!important;transition:none!important}';
const COVERED = '{opacity:0!important;transition:none!important;animation:none!important}';

function paint(scope, view, fields, frames) {
  const sheet = new view.CSSStyleSheet();
  const rules = [...fields.map((field) => pathOf(field) + PAINTED), ...frames.map((frame) => pathOf(frame) + COVERED)];
  sheet.replaceSync(rules.join('\n'));
  safe(scope).adoptedStyleSheets = [...safe(scope).adoptedStyleSheets, sheet];
  masks.push({ scope, sheet });
}

function pathOf(element) {
  const steps = [];
  for (let at = element; safe(at)?.nodeType === 1; at = safe(at).parentElement) {
    const parent = safe(at).parentNode;
    if (!safe(parent)?.children) break;
    steps.unshift(`:nth-child(${[...safe(parent).children].indexOf(at) + 1})`);
  }
  return steps.join('>');
}

function unmask() {
  for (const { scope, sheet } of masks) safe(scope).adoptedStyleSheets = [...safe(scope).adoptedStyleSheets].filter((each) => each !== sheet);
  masks = [];
  return {};
}

// Storage of the document's origin; a sandboxed or opaque one has none.
function storage({ limit }) {
  try {
    return { origin: location.origin, local: entries(localStorage, limit), session: entries(sessionStorage, limit), scroll_x: scrollX, scroll_y: scrollY };
  } catch { return { origin: null, local: {}, session: {}, scroll_x: scrollX, scroll_y: scrollY }; }
}

function entries(store, limit) {
  const out = {};
  let size = 0;
  for (let at = 0; at < store.length; at++) {
    const key = store.key(at), value = store.getItem(key);
    size += key.length + value.length;
    if (size > limit) break;
    out[key] = value;
  }
  return out;
}

function putStorage({ local, session }) {
  try {
    for (const [key, value] of Object.entries(local)) localStorage.setItem(key, value);
    for (const [key, value] of Object.entries(session)) sessionStorage.setItem(key, value);
    return { ok: true };
  } catch (error) { return { ok: false, message: String(error) }; }
}

const FIELDS_KEPT_MAX = 300;
const FIELD_CHARS_MAX = 20000;

// What was filled in and differs from what the page came with; never a secret.
function formState(fingerprintsOfSecrets) {
  recallSecrets(fingerprintsOfSecrets);
  const fields = [];
  const visit = (scope) => {
    for (const element of safe(scope).querySelectorAll('input,select,textarea,*')) {
      if (safe(element).shadowRoot) visit(safe(element).shadowRoot);
      const inner = frameDocument(element);
      if (inner) visit(inner);
      if (fields.length >= FIELDS_KEPT_MAX || !/^(input|select|textarea)$/.test(safe(element).localName) || isSecretField(element)) continue;
      const field = fieldState(element);
      if (field) fields.push(field);
    }
  };
  visit(document);
  return fields;
}

function fieldState(element) {
  const key = fieldKey(element);
  if (safe(element).localName === 'select') {
    const chosen = [...safe(element).options].filter((option) => option.selected);
    return chosen.every((option) => option.defaultSelected) && chosen.length > 0 ? null : { key, value: null, checked: null, selected: chosen.map((option) => option.value) };
  }
  if (/^(checkbox|radio)$/.test(safe(element).type)) return safe(element).checked === safe(element).defaultChecked ? null : { key, value: null, checked: safe(element).checked, selected: null };
  if (/^(submit|button|reset|image|hidden|file)$/.test(safe(element).type)) return null;
  return safe(element).value === safe(element).defaultValue ? null : { key, value: safe(element).value.slice(0, FIELD_CHARS_MAX), checked: null, selected: null };
}

// A field by id, else by its name and form, else by its place; and its tag and type, so that another field is not filled.
function fieldKey(element) {
  const kind = `${safe(element).localName}:${safe(element).type}`;
  if (safe(element).id) return `${kind}#${safe(element).id}`;
  const form = safe(safe(element).form)?.id || safe(safe(element).form)?.getAttribute('name') || '';
  const name = safe(element).getAttribute('name');
  if (name) return `${kind}[${form}][${name}]${safe(element).type === 'radio' ? `=${safe(element).value}` : ''}`;
  return `${kind}@${pathOf(element)}`;
}

function putFormState({ fields, scroll_x, scroll_y }) {
  const byKey = new Map();
  const visit = (scope) => {
    for (const element of safe(scope).querySelectorAll('*')) {
      if (safe(element).shadowRoot) visit(safe(element).shadowRoot);
      const inner = frameDocument(element);
      if (inner) visit(inner);
      if (/^(input|select|textarea)$/.test(safe(element).localName)) { const key = fieldKey(element); if (!byKey.has(key)) byKey.set(key, element); }
    }
  };
  visit(document);
  let restored = 0;
  for (const field of fields) {
    const element = byKey.get(field.key);
    if (!element || isSecretField(element)) continue;
    restored++;
    if (field.selected) { for (const option of safe(element).options) option.selected = field.selected.includes(option.value); changed(element); }
    else if (field.checked !== null) { if (safe(element).checked !== field.checked) safe(element).click(); }
    else setValue(element, field.value);
  }
  scrollTo({ left: scroll_x, top: scroll_y, behavior: 'instant' });
  return { restored };
}
