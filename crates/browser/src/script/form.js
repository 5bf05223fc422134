// Forms as a person would read them: labels and values, secrets masked.

const FORM_FIELDS_MAX = 60;
// Of what a form sends; one with more is never taken to be the same as before.
const SENT_MAX = 500;
const SENT_CHARS_MAX = 4000;
const GROUP_SELECTOR = 'dialog,[role=dialog],[role=alertdialog],[role=form]';

// The form of a control; without one, the dialog it stands in, or the whole document.
function groupOf(element) {
  if (safe(element).form) return safe(element).form;
  const closest = composedClosest(element, `form,${GROUP_SELECTOR}`);
  return closest ?? safe(safe(element).ownerDocument).documentElement;
}

function isField(element) {
  return /^(input|select|textarea)$/.test(safe(element).localName) || isTextEntry(element) || checkedOf(element) !== null;
}

function fieldOf(item) {
  const { element } = item;
  const label = item.name;
  if (safe(element).localName === 'input' && /^(submit|button|reset|image|hidden)$/.test(safe(element).type)) return null;
  if (isSecretField(element)) return { label, value: (safe(element).value ?? safe(element).textContent) ? '[secret]' : '' };
  if (safe(element).type === 'radio') return safe(element).checked ? { label: radioGroupName(element), value: label } : null;
  const checked = checkedOf(element);
  if (checked !== null) return { label, value: checked ? 'yes' : 'no' };
  if (safe(element).type === 'file') return { label, value: [...safe(element).files].map((file) => file.name).join(', ') };
  return { label, value: valueOf(element) ?? '' };
}

function radioGroupName(element) {
  const group = safe(element).closest('fieldset,[role=radiogroup]');
  const legend = safe(group)?.querySelector('legend');
  return (legend && textOf(legend, 80)) || safe(group)?.getAttribute('aria-label') || safe(element).name || 'choice';
}

// What a form would send but its button: every successful control, hidden ones too (HTML Living Standard, "constructing the
// entry list"). Read control by control: building a FormData would run the page's own handlers.
function sentBy(form, nameOfControl) {
  const sent = [];
  let isCut = false;
  const send = (control, value) => {
    const name = safe(control).getAttribute('name');
    if (!name) return;
    if (sent.length >= SENT_MAX) { isCut = true; return; }
    sent.push({ name, label: nameOfControl.get(control) ?? '', value: withoutItsEnd(value), is_hidden: safe(control).type === 'hidden' });
  };
  for (const control of safe(form).elements) for (const value of valuesSent(control)) send(control, value);
  return { sent, isCut };
}

// The end of a long value is told by its length and hash.
function withoutItsEnd(value) {
  if (value.length <= SENT_CHARS_MAX) return value;
  const kept = SENT_CHARS_MAX / 2;
  return `${value.slice(0, kept)}~${value.length}~${hash(value)}${hash(value.slice(kept))}`;
}

function valuesSent(control) {
  const own = safe(control);
  if (!/^(input|select|textarea)$/.test(own.localName) || own.matches(':disabled') || own.closest('datalist')) return [];
  if (own.localName === 'select') return [...own.selectedOptions].filter((option) => !option.disabled).map((option) => option.value);
  if (own.localName === 'input') {
    if (/^(submit|button|reset|image)$/.test(own.type)) return [];
    if (/^(checkbox|radio)$/.test(own.type) && !own.checked) return [];
    if (own.type === 'file') return [[...own.files].map((file) => file.name).join(', ')];
  }
  return [isSecretField(control) ? (own.value ? '[secret]' : '') : own.value];
}

function describeForm(group, nameOfControl) {
  if (safe(group).localName !== 'form') return { method: '', action: '', variant_of: null, encoding: '', fields: [], sent: [], is_cut: false };
  const { sent, isCut } = sentBy(group, nameOfControl);
  return { method: formMethod(group), action: formAction(group), variant_of: null, encoding: safe(group).getAttribute('enctype') ?? '', fields: [], sent, is_cut: isCut };
}

function describeForms(items) {
  const groups = new Map();
  const indexOf = new Map();
  const nameOfControl = new Map(items.map((item) => [item.element, item.name]));
  for (const item of items) {
    const group = groupOf(item.element);
    const isForm = safe(group).localName === 'form';
    // Links and lone buttons outside forms make no group; fields do.
    if (!isForm && !isField(item.element)) continue;
    if (!groups.has(group)) { indexOf.set(group, groups.size); groups.set(group, describeForm(group, nameOfControl)); }
    const { fields } = groups.get(group);
    const field = fields.length < FORM_FIELDS_MAX && isField(item.element) ? fieldOf(item) : null;
    if (field) fields.push(field);
  }
  const forms = [...groups.values()];
  for (const { element } of items) {
    // A button may send the form elsewhere, or otherwise, than the form says.
    const own = safe(element);
    if (!doesSubmit(element) || !['formaction', 'formmethod', 'formenctype'].some((name) => own.hasAttribute(name))) continue;
    const described = forms[indexOf.get(own.form)];
    indexOf.set(element, forms.push({
      ...described,
      method: own.getAttribute('formmethod')?.toLowerCase() ?? described.method,
      action: own.hasAttribute('formaction') ? own.formAction : described.action,
      encoding: own.getAttribute('formenctype') ?? described.encoding,
      variant_of: indexOf.get(own.form),
    }) - 1);
  }
  return { forms, indexOf: (element) => indexOf.get(element) ?? indexOf.get(groupOf(element)) ?? null };
}

// A control named "method" or "action" would shadow the form's own property.
function formMethod(form) { return (safe(form).getAttribute('method') ?? 'get').toLowerCase(); }
function formAction(form) {
  const action = safe(form).getAttribute('action');
  try { return new URL(action || safe(safe(form).ownerDocument).URL, safe(safe(form).ownerDocument).baseURI).href; } catch { return safe(safe(form).ownerDocument).URL; }
}
