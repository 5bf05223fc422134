// Roles and accessible names (after "Accessible Name and Description Computation 1.2"), with near text as the last resort.

const NAME_CHARS_MAX = 120;
const KNOWN_ROLES = new Set(['button', 'link', 'textbox', 'searchbox', 'combobox', 'listbox', 'option', 'checkbox', 'radio', 'switch', 'slider', 'spinbutton', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'gridcell']);
const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'button', color: 'button' };

function explicitRole(element) {
  const roles = element.getAttribute('role');
  if (!roles) return null;
  return roles.trim().toLowerCase().split(/\s+/).find((role) => KNOWN_ROLES.has(role)) ?? null;
}

function roleOf(element) {
  const role = explicitRole(element);
  if (role) return role;
  switch (element.localName) {
    case 'a': case 'area': return element.href ? 'link' : 'button';
    case 'input': return element.list ? 'combobox' : INPUT_ROLES[element.type] ?? 'textbox';
    case 'select': return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    case 'textarea': return 'textbox';
    case 'option': return 'option';
    default: return element.isContentEditable ? 'textbox' : 'button';
  }
}

function isTextEntry(element) {
  if (element.localName === 'textarea') return true;
  if (element.localName === 'input') return !INPUT_ROLES[element.type] || /^(search|number)$/.test(element.type);
  return element.isContentEditable === true;
}

// The name an element is known by, and whether it is its own or only text that stands near.
function nameOf(element) {
  const own = ownName(element);
  return own || nearName(element);
}

function ownName(element) {
  const root = element.getRootNode();
  const ids = element.getAttribute('aria-labelledby');
  if (ids && root.getElementById) {
    const texts = ids.trim().split(/\s+/).map((id) => root.getElementById(id)).filter(Boolean).map((node) => textOf(node, NAME_CHARS_MAX));
    const text = squeeze(texts.join(' '), NAME_CHARS_MAX);
    if (text) return text;
  }
  const label = squeeze(element.getAttribute('aria-label') ?? '', NAME_CHARS_MAX);
  if (label) return label;
  return squeeze(labelText(element) || contentName(element) || element.getAttribute('placeholder') || element.getAttribute('aria-placeholder') || element.getAttribute('title') || '', NAME_CHARS_MAX);
}

function labelText(element) {
  const texts = [];
  for (const label of element.labels ?? []) texts.push(textOf(label, NAME_CHARS_MAX));
  return texts.filter(Boolean).join(' ');
}

function contentName(element) {
  const tag = element.localName;
  if (tag === 'input') {
    if (element.type === 'submit') return element.value || 'Submit';
    if (element.type === 'reset') return element.value || 'Reset';
    if (element.type === 'button') return element.value;
    if (element.type === 'image') return element.alt || element.value || 'Submit';
    return '';
  }
  if (tag === 'area') return element.alt;
  if (tag === 'img') return element.alt;
  if (tag === 'select' || tag === 'textarea' || isTextEntry(element)) return '';
  const text = textOf(element, NAME_CHARS_MAX);
  if (text || tag !== 'a') return text;
  return element.querySelector('img[title]')?.title ?? '';
}

// For a control without any name: the cell's heading, the text before it, or the text of what encloses it.
function nearName(element) {
  if (element.ownerSVGElement) {
    const looks = ['class', 'fill', 'id'].map((name) => element.getAttribute(name)).filter(Boolean);
    return squeeze(`${element.localName} ${looks.join(' ')}`, 60);
  }
  const cell = element.closest('td');
  if (cell) {
    const heading = columnHeading(cell) || (cell.parentElement?.firstElementChild !== cell && textOf(cell.parentElement.firstElementChild, 80));
    if (heading) return heading;
  }
  if (/^(checkbox|radio)$/.test(element.type ?? '')) {
    const after = siblingText(element.nextSibling);
    if (after) return after;
  }
  let at = element;
  for (let level = 0; level < 3 && at && at.localName !== 'body'; level++, at = composedParent(at)) {
    for (let sibling = at.previousSibling, count = 0; sibling && count < 4; sibling = sibling.previousSibling, count++) {
      if (sibling.nodeType === 1 && (isTextEntry(sibling) || /^(select|table|form|hr)$/.test(sibling.localName))) break;
      const text = siblingText(sibling);
      if (text) return text;
    }
  }
  return squeeze(element.getAttribute('name') || element.id || iconName(element), 60);
}

// A short text node or element; a long one is not a label.
function siblingText(sibling) {
  if (!sibling) return '';
  const text = sibling.nodeType === 3 ? squeeze(sibling.data, 101) : sibling.nodeType === 1 ? textOf(sibling, 101) : '';
  return text.length > 100 ? '' : text.slice(0, 80);
}

// An icon button is known by its class or drawing at best.
function iconName(element) {
  const icon = element.querySelector?.('[class*="icon" i], use, i, svg');
  const words = icon?.getAttribute('href') ?? icon?.getAttribute('data-icon') ?? icon?.getAttribute('class') ?? element.getAttribute('class') ?? '';
  return words.replace(/[^a-z0-9]+/gi, ' ').trim();
}

function columnHeading(cell) {
  const table = cell.closest('table');
  const heading = table?.tHead?.rows[0]?.cells[cell.cellIndex] ?? table?.querySelector('tr')?.cells?.[cell.cellIndex];
  return heading && heading.localName === 'th' && heading !== cell ? textOf(heading, 80) : '';
}
