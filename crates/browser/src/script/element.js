// Which elements can be acted on, and their description for a planner.

const VALUE_CHARS_MAX = 500;
const OPTIONS_MAX = 100;
const OPTION_CHARS_MAX = 80;
const CONTROL_SELECTOR = 'a[href],area[href],button,input,select,textarea,summary';

// Real controls and what is marked as one; pointer cursors and listeners are judged in the walk.
function isControl(element) {
  const own = safe(element);
  switch (own.localName) {
    case 'a': case 'area': return own.hasAttribute('href') || own.hasAttribute('onclick') || explicitRole(element) !== null;
    case 'button': case 'select': case 'textarea': return true;
    case 'input': return own.type !== 'hidden';
    case 'summary': return safe(own.parentElement)?.localName === 'details';
    default: break;
  }
  if (explicitRole(element) !== null) return own.getAttribute('role') !== 'gridcell' || own.tabIndex >= 0;
  if (own.hasAttribute('contenteditable')) return own.isContentEditable && !safe(own.parentElement)?.isContentEditable;
  return own.hasAttribute('onclick');
}

function isDisabled(element) {
  return safe(element).matches(':disabled') || safe(element).closest('[aria-disabled="true"]') !== null;
}

function checkedOf(element) {
  if (safe(element).localName === 'input' && /^(checkbox|radio)$/.test(safe(element).type)) return safe(element).checked;
  const state = safe(element).getAttribute('aria-checked') ?? safe(element).getAttribute('aria-pressed');
  return state === null ? null : state === 'true';
}

function valueOf(element) {
  if (isSecretField(element)) return null;
  const tag = safe(element).localName;
  if (tag === 'select') return squeeze([...safe(element).selectedOptions].map((option) => option.label).join(', '), VALUE_CHARS_MAX);
  if (tag === 'input') return /^(checkbox|radio|submit|button|reset|image)$/.test(safe(element).type) ? null : safe(element).value.slice(0, VALUE_CHARS_MAX);
  if (tag === 'textarea') return safe(element).value.slice(0, VALUE_CHARS_MAX);
  if (safe(element).isContentEditable) return safe(element).innerText.slice(0, VALUE_CHARS_MAX);
  return safe(element).getAttribute('aria-valuetext') ?? safe(element).getAttribute('aria-valuenow');
}

function optionsOf(element) {
  let options = [];
  if (safe(element).localName === 'select') options = [...safe(element).options].filter((option) => !option.disabled || option.selected).map((option) => option.label);
  else if (safe(element).list) options = [...safe(element).list.options].map((option) => option.value || option.label);
  else if (safe(element).getAttribute('role') === 'listbox') options = [...safe(element).querySelectorAll('[role=option]')].map((option) => textOf(option, OPTION_CHARS_MAX));
  return options.slice(0, OPTIONS_MAX).map((option) => squeeze(option, OPTION_CHARS_MAX));
}

function doesSubmit(element) {
  return Boolean(safe(element).form) && /^(button|input)$/.test(safe(element).localName) && /^(submit|image)$/.test(safe(element).type);
}

function hrefOf(element) {
  if (safe(element).localName !== 'a' && safe(element).localName !== 'area') return null;
  const href = typeof safe(element).href === 'string' ? safe(element).href : safe(element).href?.baseVal ?? '';
  return href ? href.slice(0, 2000) : null;
}

// The text of the smallest enclosing block that says more than the name does.
function nearText(element, name) {
  let at = composedParent(element);
  for (let level = 0; level < 4 && at && safe(at).localName !== 'body' && safe(at).localName !== 'html'; level++, at = composedParent(at)) {
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

// A clock beside an element does not either.
function withoutClocks(text) { return text.replace(/\b\d{1,2}(:\d{2}){1,2}\b/g, '#:#'); }

// Stable description: `tag.<what it is>.<where it stands>`, and `~n` for the n-th of the same. Numbers in names are left
// out, so a countdown keeps its fingerprint; where it stands tells the many "Buy" buttons of a list apart.
function fingerprintsOf(items) {
  const counts = new Map();
  for (const item of items) {
    const { element, name, near } = item;
    const form = safe(element).form;
    const formKey = form ? safe(form).id || safe(form).getAttribute('name') || safe(form).getAttribute('action') || '' : '';
    const id = /\d{3,}|:/.test(safe(element).id) ? withoutDigits(safe(element).id) : safe(element).id;
    const href = hrefOf(element) ?? '';
    const base = [safe(element).localName, safe(element).type ?? '', id, safe(element).getAttribute('name') ?? '', item.role, href ? '' : withoutDigits(name), href, formKey].join('\u0001');
    const stem = `${safe(element).localName}.${hash(base)}.${hash(withoutClocks(near))}`;
    const count = (counts.get(stem) ?? 0) + 1;
    counts.set(stem, count);
    item.fingerprint = count === 1 ? stem : `${stem}~${count}`;
    fingerprints.set(element, item.fingerprint);
  }
}

function sectionOf(element, heading) {
  const row = safe(element).closest('tr,[role=row]');
  const region = composedClosest(element, 'dialog,[role=dialog],[role=alertdialog],nav,[role=navigation],header,footer,fieldset');
  const parts = [];
  if (region) parts.push(regionName(region));
  if (row) parts.push(blockText(row).slice(0, 120));
  else if (heading && safe(region)?.localName !== 'nav') parts.push(heading);
  return parts.filter(Boolean).join(': ');
}

function regionName(region) {
  const label = safe(region).getAttribute('aria-label');
  if (safe(region).localName === 'fieldset') return textOf(safe(region).querySelector('legend') ?? safe(safe(region).ownerDocument).createElement('i'), 80);
  const title = label || (/dialog/.test(safe(region).localName + safe(region).getAttribute('role')) ? textOf(safe(region).querySelector('h1,h2,h3,[role=heading]') ?? safe(safe(region).ownerDocument).createElement('i'), 80) : '');
  const kind = /dialog/.test(safe(region).localName + safe(region).getAttribute('role')) ? 'dialog' : safe(region).localName === 'nav' || safe(region).getAttribute('role') === 'navigation' ? 'navigation' : safe(region).localName;
  return squeeze(`${kind} ${title}`, 100);
}

function describe(item, formIndex) {
  const { element } = item;
  const own = safe(element), entry = entryOf(element);
  return {
    reference: refer(element), role: item.role, name: item.name, tag: own.localName,
    input_type: /^(input|button)$/.test(own.localName) ? own.type : null,
    control_name: own.getAttribute('name'), placeholder: own.getAttribute('placeholder'), autocomplete: own.getAttribute('autocomplete'),
    value: valueOf(element), options: optionsOf(element), checked: checkedOf(element),
    required: own.required === true || own.getAttribute('aria-required') === 'true',
    disabled: isDisabled(element), href: hrefOf(element), form: formIndex, submits: doesSubmit(element),
    sent_value: doesSubmit(element) ? own.value : null, region: item.region ?? null,
    ...structureOf(item), near_text: item.near === item.name ? '' : item.near, section: sectionOf(element, item.heading), in_viewport: isInWindow(item.proxy ?? element), fingerprint: item.fingerprint,
    origin: entry ? originOf(entry) : '', destinations: entry ? destinationsOf(entry) : [],
  };
}

const OPENERS = '[aria-expanded],[aria-haspopup]:not([aria-haspopup=false]),[aria-controls],[popovertarget],[commandfor],[data-bs-toggle],[data-toggle]';
const WIDGETS = '[role=tablist],[role=menu],[role=menubar],[role=listbox],[role=grid],[role=tree],[role=toolbar],[role=radiogroup]';

// What the page's structure says about an element that a script reacts to.
function structureOf({ element, name }) {
  const own = safe(element);
  const shown = /^(input|select|textarea)$/.test(own.localName) ? '' : blockText(element).slice(0, NAME_CHARS_MAX).trimEnd();
  return {
    shown_text: shown && shown !== name ? shown : null, has_role: explicitRole(element) !== null, opens: own.matches(OPENERS),
    widget: safe(composedClosest(element, WIDGETS))?.getAttribute('role') ?? null,
  };
}

function isInWindow(element) {
  const box = safe(element).getBoundingClientRect();
  const offset = safe(element).ownerDocument === document ? { x: 0, y: 0 } : frameOffset(safe(element).ownerDocument);
  return box.bottom + offset.y > 0 && box.top + offset.y < innerHeight && box.right + offset.x > 0 && box.left + offset.x < innerWidth;
}
