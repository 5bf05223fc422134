// Roles and accessible names (after "Accessible Name and Description Computation 1.2"), with near text as the last resort.

const NAME_CHARS_MAX = 120;
const KNOWN_ROLES = new Set(['button', 'link', 'textbox', 'searchbox', 'combobox', 'listbox', 'option', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'gridcell']);
const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'button', color: 'button' };

function explicitRole(element) {
  const roles = safe(element).getAttribute('role');
  if (!roles) return null;
  return roles.trim().toLowerCase().split(/\s+/).find((role) => KNOWN_ROLES.has(role)) ?? null;
}

function roleOf(element) {
  const role = explicitRole(element);
  if (role) return role;
  switch (safe(element).localName) {
    case 'a': case 'area': return safe(element).href ? 'link' : 'button';
    case 'input': return safe(element).list ? 'combobox' : INPUT_ROLES[safe(element).type] ?? 'textbox';
    case 'select': return safe(element).multiple || safe(element).size > 1 ? 'listbox' : 'combobox';
    case 'textarea': return 'textbox';
    case 'option': return 'option';
    default: return safe(element).isContentEditable ? 'textbox' : 'button';
  }
}

function isTextEntry(element) {
  if (safe(element).localName === 'textarea') return true;
  if (safe(element).localName === 'input') return !INPUT_ROLES[safe(element).type] || /^(search|number)$/.test(safe(element).type);
  return safe(element).isContentEditable === true;
}

// The name an element is known by, and whether it is its own or only text that stands near.
function nameOf(element) {
  const own = ownName(element);
  return own || nearName(element);
}

function ownName(element) {
  const root = safe(element).getRootNode();
  const ids = safe(element).getAttribute('aria-labelledby');
  if (ids && safe(root).getElementById) {
    const texts = ids.trim().split(/\s+/).map((id) => safe(root).getElementById(id)).filter(Boolean).map((node) => textOf(node, NAME_CHARS_MAX));
    const text = squeeze(texts.join(' '), NAME_CHARS_MAX);
    if (text) return text;
  }
  const label = squeeze(safe(element).getAttribute('aria-label') ?? '', NAME_CHARS_MAX);
  if (label) return label;
  return squeeze(labelText(element) || contentName(element) || safe(element).getAttribute('placeholder') || safe(element).getAttribute('aria-placeholder') || safe(element).getAttribute('title') || '', NAME_CHARS_MAX);
}

function labelText(element) {
  const texts = [];
  for (const label of safe(element).labels ?? []) texts.push(textOf(label, NAME_CHARS_MAX));
  return texts.filter(Boolean).join(' ');
}

function contentName(element) {
  const tag = safe(element).localName;
  if (tag === 'input') {
    if (safe(element).type === 'submit') return safe(element).value || 'Submit';
    if (safe(element).type === 'reset') return safe(element).value || 'Reset';
    if (safe(element).type === 'button') return safe(element).value;
    if (safe(element).type === 'image') return safe(element).alt || safe(element).value || 'Submit';
    return '';
  }
  if (tag === 'area') return safe(element).alt;
  if (tag === 'img') return safe(element).alt;
  if (tag === 'select' || tag === 'textarea' || isTextEntry(element)) return '';
  const text = textOf(element, NAME_CHARS_MAX);
  if (text || tag !== 'a') return text;
  return safe(safe(element).querySelector('img[title]'))?.title ?? '';
}

// For a control without any name: the cell's heading, the text before it, or the text of what encloses it.
function nearName(element) {
  if (safe(element).ownerSVGElement) {
    const looks = ['class', 'fill', 'id'].map((name) => safe(element).getAttribute(name)).filter(Boolean);
    return squeeze(`${safe(element).localName} ${looks.join(' ')}`, 60);
  }
  const cell = safe(element).closest('td');
  if (cell) {
    const heading = columnHeading(cell) || (safe(safe(cell).parentElement)?.firstElementChild !== cell && textOf(safe(safe(cell).parentElement).firstElementChild, 80));
    if (heading) return heading;
  }
  if (/^(checkbox|radio)$/.test(safe(element).type ?? '')) {
    const after = siblingText(safe(element).nextSibling);
    if (after) return after;
  }
  let at = element;
  for (let level = 0; level < 3 && at && safe(at).localName !== 'body'; level++, at = composedParent(at)) {
    for (let sibling = safe(at).previousSibling, count = 0; sibling && count < 4; sibling = safe(sibling).previousSibling, count++) {
      if (safe(sibling).nodeType === 1 && (isTextEntry(sibling) || /^(select|table|form|hr)$/.test(safe(sibling).localName))) break;
      const text = siblingText(sibling);
      if (text) return text;
    }
  }
  return squeeze(safe(element).getAttribute('name') || safe(element).id || iconName(element), 60);
}

// A short text node or element; a long one is not a label.
function siblingText(sibling) {
  if (!sibling) return '';
  const text = safe(sibling).nodeType === 3 ? squeeze(safe(sibling).data.slice(0, 2000), 101) : safe(sibling).nodeType === 1 ? textOf(sibling, 101) : '';
  return text.length > 100 ? '' : text.slice(0, 80);
}

// An icon button is known by its class or drawing at best.
function iconName(element) {
  const icon = safe(element).querySelector?.('[class*="icon" i], use, i, svg');
  const words = safe(icon)?.getAttribute('href') ?? safe(icon)?.getAttribute('data-icon') ?? safe(icon)?.getAttribute('class') ?? safe(element).getAttribute('class') ?? '';
  return words.replace(/[^a-z0-9]+/gi, ' ').trim();
}

function columnHeading(cell) {
  const table = safe(cell).closest('table');
  const heading = safe(table)?.tHead?.rows[0]?.cells[safe(cell).cellIndex] ?? safe(table)?.querySelector('tr')?.cells?.[safe(cell).cellIndex];
  return heading && safe(heading).localName === 'th' && heading !== cell ? textOf(heading, 80) : '';
}
