// Which elements can be acted on, and their description for a planner.

const VALUE_CHARS_MAX = 500;
const OPTIONS_MAX = 100;
const OPTION_CHARS_MAX = 80;
const CONTROL_SELECTOR = 'a[href],area[href],button,input,select,textarea,summary';

// Real controls and what is marked as one; pointer cursors and listeners are judged in the walk.
function isControl(element) {
  switch (element.localName) {
    case 'a': case 'area': return element.hasAttribute('href') || element.hasAttribute('onclick') || explicitRole(element) !== null;
    case 'button': case 'select': case 'textarea': return true;
    case 'input': return element.type !== 'hidden';
    case 'summary': return element.parentElement?.localName === 'details';
    default: break;
  }
  if (explicitRole(element) !== null) return element.getAttribute('role') !== 'gridcell' || element.tabIndex >= 0;
  if (element.hasAttribute('contenteditable')) return element.isContentEditable && !element.parentElement?.isContentEditable;
  return element.hasAttribute('onclick');
}

function isDisabled(element) {
  return element.matches(':disabled') || element.closest('[aria-disabled="true"]') !== null;
}

function checkedOf(element) {
  if (element.localName === 'input' && /^(checkbox|radio)$/.test(element.type)) return element.checked;
  const state = element.getAttribute('aria-checked') ?? element.getAttribute('aria-pressed');
  return state === null ? null : state === 'true';
}

function valueOf(element) {
  if (isSecretField(element)) return null;
  const tag = element.localName;
  if (tag === 'select') return squeeze([...element.selectedOptions].map((option) => option.label).join(', '), VALUE_CHARS_MAX);
  if (tag === 'input') return /^(checkbox|radio|submit|button|reset|image)$/.test(element.type) ? null : element.value.slice(0, VALUE_CHARS_MAX);
  if (tag === 'textarea') return element.value.slice(0, VALUE_CHARS_MAX);
  if (element.isContentEditable) return element.innerText.slice(0, VALUE_CHARS_MAX);
  return element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow');
}

function optionsOf(element) {
  let options = [];
  if (element.localName === 'select') options = [...element.options].filter((option) => !option.disabled || option.selected).map((option) => option.label);
  else if (element.list) options = [...element.list.options].map((option) => option.value || option.label);
  else if (element.getAttribute('role') === 'listbox') options = [...element.querySelectorAll('[role=option]')].map((option) => textOf(option, OPTION_CHARS_MAX));
  return options.slice(0, OPTIONS_MAX).map((option) => squeeze(option, OPTION_CHARS_MAX));
}

function doesSubmit(element) {
  return Boolean(element.form) && /^(button|input)$/.test(element.localName) && /^(submit|image)$/.test(element.type);
}

function hrefOf(element) {
  if (element.localName !== 'a' && element.localName !== 'area') return null;
  const href = typeof element.href === 'string' ? element.href : element.href?.baseVal ?? '';
  return href ? href.slice(0, 2000) : null;
}

// The text of the smallest enclosing block that says more than the name does.
function nearText(element, name) {
  let at = composedParent(element);
  for (let level = 0; level < 4 && at && at.localName !== 'body' && at.localName !== 'html'; level++, at = composedParent(at)) {
    const text = blockText(at);
    if (text.length > name.length + 2) return text;
  }
  return '';
}

let blockTexts = new Map();
function blockText(element) {
  let text = blockTexts.get(element);
  if (text === undefined) {
    text = textOf(element, 200);
    blockTexts.set(element, text);
  }
  return text;
}

function hash(text) {
  let high = 0xdeadbeef, low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return (high >>> 0).toString(16).padStart(8, '0');
}

// Counters and clocks in a name do not make it another element.
function withoutDigits(text) { return text.replace(/\d+/g, '#'); }

// Stable description: `tag.<what it is>.<where it stands>`, and `~n` for the n-th of the same. Numbers in names are left
// out, so a countdown keeps its fingerprint; where it stands tells the many "Buy" buttons of a list apart.
function fingerprintsOf(items) {
  const counts = new Map();
  for (const item of items) {
    const { element, name, near } = item;
    const form = element.form;
    const formKey = form ? form.id || form.getAttribute('name') || form.getAttribute('action') || '' : '';
    const id = /\d{3,}|:/.test(element.id) ? withoutDigits(element.id) : element.id;
    const href = hrefOf(element) ?? '';
    const base = [element.localName, element.type ?? '', id, element.getAttribute('name') ?? '', item.role, href ? '' : withoutDigits(name), href, formKey].join('\u0001');
    const stem = `${element.localName}.${hash(base)}.${hash(near)}`;
    const count = (counts.get(stem) ?? 0) + 1;
    counts.set(stem, count);
    item.fingerprint = count === 1 ? stem : `${stem}~${count}`;
    fingerprints.set(element, item.fingerprint);
  }
}

function sectionOf(element, heading) {
  const row = element.closest('tr,[role=row]');
  const region = composedClosest(element, 'dialog,[role=dialog],[role=alertdialog],nav,[role=navigation],header,footer,fieldset');
  const parts = [];
  if (region) parts.push(regionName(region));
  if (row) parts.push(blockText(row).slice(0, 120));
  else if (heading && region?.localName !== 'nav') parts.push(heading);
  return parts.filter(Boolean).join(': ');
}

function regionName(region) {
  const label = region.getAttribute('aria-label');
  if (region.localName === 'fieldset') return textOf(region.querySelector('legend') ?? region.ownerDocument.createElement('i'), 80);
  const title = label || (/dialog/.test(region.localName + region.getAttribute('role')) ? textOf(region.querySelector('h1,h2,h3,[role=heading]') ?? region.ownerDocument.createElement('i'), 80) : '');
  const kind = /dialog/.test(region.localName + region.getAttribute('role')) ? 'dialog' : region.localName === 'nav' || region.getAttribute('role') === 'navigation' ? 'navigation' : region.localName;
  return squeeze(`${kind} ${title}`, 100);
}

function describe(item, formIndex) {
  const { element } = item;
  const own = item.role;
  return {
    reference: refer(element), role: own, name: item.name, tag: element.localName,
    input_type: /^(input|button)$/.test(element.localName) ? element.type : null,
    control_name: element.getAttribute('name'), placeholder: element.getAttribute('placeholder'), autocomplete: element.getAttribute('autocomplete'),
    value: valueOf(element), options: optionsOf(element), checked: checkedOf(element),
    required: element.required === true || element.getAttribute('aria-required') === 'true',
    disabled: isDisabled(element), href: hrefOf(element), form: formIndex, submits: doesSubmit(element),
    near_text: item.near === item.name ? '' : item.near, section: sectionOf(element, item.heading), in_viewport: isInWindow(item.proxy ?? element), fingerprint: item.fingerprint,
  };
}

function isInWindow(element) {
  const box = element.getBoundingClientRect();
  const offset = element.ownerDocument === document ? { x: 0, y: 0 } : frameOffset(element.ownerDocument);
  return box.bottom + offset.y > 0 && box.top + offset.y < innerHeight && box.right + offset.x > 0 && box.left + offset.x < innerWidth;
}
