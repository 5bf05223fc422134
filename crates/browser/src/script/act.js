// The parts of an action that need the document: find the element again, bring it into view, and see what lies on top.

// Elements the last look would list, for finding one by its fingerprint.
function resolve(target) {
  const node = references.get(target.element)?.deref();
  if (node === undefined && !references.has(target.element)) return { fault: 'stale' };
  if (safe(node)?.isConnected && isSame(node, target)) return { node };
  const items = identify();
  const equal = items.filter((item) => item.fingerprint === target.fingerprint);
  return equal.length === 1 ? { node: equal[0].element } : { fault: 'stale' };
}

// Every element a look would list, with its fingerprint.
function identify() {
  const { items } = walk({ textChars: 0, links: 0 });
  blockTexts = new Map();
  describeBasics(items);
  return items;
}

function describeBasics(items) {
  for (const item of items) {
    item.role = roleOf(item.element);
    item.name = nameOf(item.element);
    item.near = nearText(item.element, item.name);
  }
  fingerprintsOf(items);
}

// The fields that hold secrets are known by fingerprint on a document that was not looked at yet.
function recallSecrets(fingerprintsOfSecrets) {
  secretFingerprints = new Set(fingerprintsOfSecrets);
  if (secretFingerprints.size) identify();
}

// A node that the page uses again for something else has another role or name.
function isSame(node, target) {
  return roleOf(node) === target.role && withoutDigits(nameOf(node)) === withoutDigits(target.name);
}

function prepare({ target, kind }) {
  const { node, fault } = resolve(target);
  if (fault) return { fault };
  if (isDisabled(node)) return { fault: 'disabled' };
  if (kind === 'type') return prepareTyping(node);
  if (kind === 'focus') { safe(node).focus(); return { ok: true, focused: isFocused(node) }; }
  const shown = isHiddenBox(node) ? visibleLabel(node) ?? node : node;
  return isMoving(shown) ? { ok: true, is_moving: true } : findPoint(shown, node);
}

// It, or what it stands in, is on its way to its place; what moves for ever is taken as it is.
function isMoving(element) {
  if (!safe(safe(element).ownerDocument).getAnimations().length) return false;
  for (let at = element; at; at = composedParent(at)) {
    for (const animation of safe(at).nodeType === 1 ? safe(at).getAnimations() : []) {
      if (animation.playState === 'running' && Number.isFinite(animation.effect?.getComputedTiming().endTime)) return true;
    }
  }
  return false;
}

function isHiddenBox(node) {
  return safe(node).localName === 'input' && /^(checkbox|radio|file)$/.test(safe(node).type) && isHiddenControl(node);
}

function isFocused(node) { return safe(safe(node).getRootNode()).activeElement === node || composedContains(node, deepActive()); }

function deepActive() {
  let active = safe(document).activeElement;
  for (;;) {
    const inner = safe(active)?.shadowRoot?.activeElement ?? (active && safe(frameDocument(active))?.activeElement);
    if (!inner) return active;
    active = inner;
  }
}

// Without scrolling when all of it is in view; else in the middle first, since fixed headers cover the edges. From inside
// a frame of another origin the window cannot be seen, so there it is always scrolled.
function findPoint(shown, node) {
  let covering = null;
  for (const block of [null, 'center', 'end', 'start']) {
    if (block) safe(shown).scrollIntoView({ behavior: 'instant', block, inline: 'nearest' });
    else if (globalThis.window !== top || !isWhollyInWindow(shown)) continue;
    for (const point of pointsOf(shown)) {
      const hit = deepElementFromPoint(point.x, point.y);
      if (hit && hits(hit, shown, node)) return { ok: true, x: point.x, y: point.y };
      covering = hit ?? covering;
    }
  }
  if (!hasBox(shown)) return { fault: 'invisible' };
  return { fault: 'covered', by: covering ? describeShortly(covering) : 'the edge of the window' };
}

function isWhollyInWindow(element) {
  const box = safe(element).getBoundingClientRect();
  const offset = frameOffset(safe(element).ownerDocument);
  return box.top + offset.y >= 0 && box.bottom + offset.y <= innerHeight && box.left + offset.x >= 0 && box.right + offset.x <= innerWidth;
}

function pointsOf(element) {
  const offset = frameOffset(safe(element).ownerDocument);
  const points = [];
  const boxes = [...safe(element).getClientRects()].filter((box) => box.width > 0 && box.height > 0).slice(0, 4);
  if (!boxes.length) for (const child of safe(element).children) boxes.push(...[...safe(child).getClientRects()].slice(0, 1));
  for (const box of boxes) {
    const left = Math.max(box.left + offset.x, 0), right = Math.min(box.right + offset.x, innerWidth);
    const top = Math.max(box.top + offset.y, 0), bottom = Math.min(box.bottom + offset.y, innerHeight);
    if (right <= left || bottom <= top) continue;
    for (const [across, down] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]]) {
      points.push({ x: left + (right - left) * across, y: top + (bottom - top) * down });
    }
  }
  return points;
}

function deepElementFromPoint(x, y) {
  let scope = document, hit = null;
  for (;;) {
    const next = safe(scope).elementFromPoint(x, y);
    if (!next || next === hit) return hit;
    hit = next;
    const inner = frameDocument(hit);
    if (inner) {
      const box = safe(hit).getBoundingClientRect();
      x -= box.left + safe(hit).clientLeft;
      y -= box.top + safe(hit).clientTop;
      scope = inner;
    } else if (safe(hit).shadowRoot) scope = safe(hit).shadowRoot;
    else return hit;
  }
}

// A press lands on the element when it meets it, a part of it, or a label or link round it.
function hits(hit, shown, node) {
  if (composedContains(shown, hit) || composedContains(node, hit)) return true;
  const around = composedClosest(hit, 'a,button,label');
  return around !== null && (composedContains(around, node) || around.control === node);
}

function describeShortly(element) {
  const name = squeeze(safe(element).getAttribute('aria-label') ?? safe(element).innerText ?? '', 60);
  return `${safe(element).localName}${safe(element).id ? `#${safe(element).id}` : ''}${name ? ` "${name}"` : ''}`;
}

// Focuses a field and selects what it holds, so that inserted text replaces it.
function prepareTyping(node) {
  if (safe(node).readOnly) return { fault: 'disabled' };
  const entry = entryOf(node);
  if (!entry) return { fault: 'not_a_field' };
  safe(entry).scrollIntoView({ behavior: 'instant', block: 'nearest', inline: 'nearest' });
  safe(entry).focus({ preventScroll: true });
  if (!isFocused(entry)) { const point = findPoint(entry, entry); return { ...point, needs_click: true }; }
  selectAll(entry);
  lastTyped = entry;
  return { ok: true, must_set: safe(entry).localName === 'input' && /^(date|time|datetime-local|month|week)$/.test(safe(entry).type), empty: !(safe(entry).value ?? safe(entry).innerText) };
}

// The field itself, or the one inside what the page draws as a field.
function entryOf(node) {
  return isTextEntry(node) ? node : safe(node).querySelector('input:not([type=hidden]),textarea,[contenteditable=""],[contenteditable=true]');
}

function selectAll(entry) {
  if (typeof safe(entry).select === 'function') { safe(entry).select(); return; }
  const range = safe(safe(entry).ownerDocument).createRange();
  range.selectNodeContents(entry);
  const selection = safe(safe(entry).ownerDocument).getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

// After the text went in: sets it directly where the browser took none of it, and leaves the field as a person would,
// unless it offers suggestions or is to stay in it.
function typed({ text, set, stay }) {
  const entry = lastTyped;
  if (!safe(entry)?.isConnected) return { ok: true };
  if (safe(entry).value !== undefined && text !== '' && (set || safe(entry).value === '')) setValue(entry, text);
  if (!stay && !offersSuggestions(entry)) safe(entry).blur();
  return { ok: true };
}

function offersSuggestions(entry) {
  return safe(entry).isContentEditable || safe(entry).list != null || safe(entry).type === 'search' || /^(combobox|searchbox)$/.test(safe(entry).getAttribute('role') ?? '') ||
    ['aria-autocomplete', 'aria-haspopup', 'aria-expanded', 'aria-controls', 'aria-owns'].some((name) => safe(entry).hasAttribute(name));
}

function setValue(entry, value) {
  const kind = safe(entry).localName === 'textarea' ? HTMLTextAreaElement : safe(entry).localName === 'select' ? HTMLSelectElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(entry, value);
  changed(entry);
}

function changed(element) {
  safe(element).dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  safe(element).dispatchEvent(new Event('change', { bubbles: true }));
}

// Chooses by label: exactly, then without case, then by a beginning that only one option has.
function select({ target, option }) {
  const { node, fault } = resolve(target);
  if (fault) return { fault };
  if (isDisabled(node)) return { fault: 'disabled' };
  if (safe(node).localName !== 'select') return { ok: true, custom: true };
  const options = [...safe(node).options].filter((each) => !safe(each).disabled);
  const chosen = pick(options, option, (each) => squeeze(safe(each).label, 1000)) ?? options.find((each) => safe(each).value === option);
  if (!chosen) return { fault: 'no_option', options: optionsOf(node) };
  if (!chosen.selected || (!safe(node).multiple && safe(node).selectedOptions[0] !== chosen)) {
    safe(node).focus({ preventScroll: true });
    chosen.selected = true;
    changed(node);
  }
  return { ok: true };
}

// A key without a target goes to the field that was last typed into, when nothing else has the focus.
function refocus() {
  const active = deepActive();
  if ((!active || active === safe(document).body) && safe(lastTyped)?.isConnected) safe(lastTyped).focus({ preventScroll: true });
  return {};
}

// The visible option of a list drawn by the page.
function findOption({ target, option }) {
  const { node, fault } = resolve(target);
  if (fault) return { fault };
  const scopes = ['aria-controls', 'aria-owns'].map((name) => safe(safe(node).getRootNode()).getElementById?.(safe(node).getAttribute(name) ?? '')).filter(Boolean);
  for (const scope of [node, ...scopes, safe(node).ownerDocument]) {
    const options = [...safe(scope).querySelectorAll('[role=option],[role=menuitem],[role=menuitemradio],li,option')].filter((each) => safe(each).checkVisibility({ visibilityProperty: true, opacityProperty: true }));
    const marked = options.filter((each) => safe(each).hasAttribute('role'));
    const chosen = pick(marked.length ? marked : options, option, (each) => textOf(each, 200));
    if (chosen) return findPoint(chosen, chosen);
  }
  return { fault: 'no_option', options: optionsOf(node) };
}

function pick(options, wanted, labelOf) {
  const plain = squeeze(wanted, 1000), lower = plain.toLowerCase();
  const exact = options.find((each) => labelOf(each) === plain) ?? options.find((each) => labelOf(each).toLowerCase() === lower);
  if (exact) return exact;
  const beginning = lower ? options.filter((each) => labelOf(each).toLowerCase().startsWith(lower)) : [];
  return beginning.length === 1 ? beginning[0] : null;
}

function isChecked({ target }) {
  const { node, fault } = resolve(target);
  if (fault) return { fault };
  return { ok: true, checked: checkedOf(node) };
}

// The last resort for a box whose press went astray.
function setChecked({ target, checked }) {
  const { node, fault } = resolve(target);
  if (fault) return { fault };
  if (checkedOf(node) !== checked) safe(node).click();
  return { ok: true, checked: checkedOf(node) };
}

// Scrolls by most of a screen: the document, or the largest part of it that scrolls by itself.
function scroll({ down }) {
  const root = safe(document).scrollingElement ?? safe(document).documentElement;
  const canScroll = (element) => safe(element).scrollHeight > safe(element).clientHeight + 4;
  let scroller = root;
  if (!canScroll(root)) {
    const area = (element) => safe(element).clientWidth * safe(element).clientHeight;
    const inner = [...safe(document).querySelectorAll('*')].slice(0, 5000).filter((element) => canScroll(element) && /auto|scroll/.test(getComputedStyle(element).overflowY));
    scroller = inner.sort((a, b) => area(b) - area(a))[0] ?? root;
  }
  const before = safe(scroller).scrollTop;
  safe(scroller).scrollBy({ top: (down ? 0.85 : -0.85) * (scroller === root ? innerHeight : safe(scroller).clientHeight), behavior: 'instant' });
  return { ok: true, moved: safe(scroller).scrollTop !== before };
}
