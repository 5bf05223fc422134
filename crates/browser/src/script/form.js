// Forms as a person would read them: labels and values, secrets masked.

const FORM_FIELDS_MAX = 60;
const GROUP_SELECTOR = 'dialog,[role=dialog],[role=alertdialog],[role=form]';

// The form of a control; without one, the dialog it stands in, or the whole document.
function groupOf(element) {
  if (element.form) return element.form;
  const closest = composedClosest(element, `form,${GROUP_SELECTOR}`);
  return closest ?? element.ownerDocument.documentElement;
}

function isField(element) {
  return /^(input|select|textarea)$/.test(element.localName) || isTextEntry(element) || checkedOf(element) !== null;
}

function fieldOf(item) {
  const { element } = item;
  const label = item.name;
  if (element.localName === 'input' && /^(submit|button|reset|image|hidden)$/.test(element.type)) return null;
  if (isSecretField(element)) return { label, value: (element.value ?? element.textContent) ? '[secret]' : '' };
  if (element.type === 'radio') return element.checked ? { label: radioGroupName(element), value: label } : null;
  const checked = checkedOf(element);
  if (checked !== null) return { label, value: checked ? 'yes' : 'no' };
  if (element.type === 'file') return { label, value: [...element.files].map((file) => file.name).join(', ') };
  return { label, value: valueOf(element) ?? '' };
}

function radioGroupName(element) {
  const group = element.closest('fieldset,[role=radiogroup]');
  const legend = group?.querySelector('legend');
  return (legend && textOf(legend, 80)) || group?.getAttribute('aria-label') || element.name || 'choice';
}

function describeForms(items) {
  const groups = new Map();
  const indexOf = new Map();
  for (const item of items) {
    const group = groupOf(item.element);
    const isForm = group.localName === 'form';
    // Links and lone buttons outside forms make no group; fields do.
    if (!isForm && !isField(item.element)) continue;
    if (!groups.has(group)) { indexOf.set(group, groups.size); groups.set(group, { method: isForm ? formMethod(group) : '', action: isForm ? formAction(group) : '', fields: [] }); }
    const form = groups.get(group);
    const field = form.fields.length < FORM_FIELDS_MAX && isField(item.element) ? fieldOf(item) : null;
    if (field) form.fields.push(field);
  }
  const forms = [...groups.values()];
  for (const { element } of items) {
    // A button may send the form elsewhere, or otherwise, than the form says.
    if (!doesSubmit(element) || !(element.hasAttribute('formaction') || element.hasAttribute('formmethod'))) continue;
    const form = forms[indexOf.get(element.form)];
    const method = element.getAttribute('formmethod')?.toLowerCase() ?? form.method;
    const action = element.hasAttribute('formaction') ? element.formAction : form.action;
    indexOf.set(element, forms.push({ ...form, method, action }) - 1);
  }
  return { forms, indexOf: (element) => indexOf.get(element) ?? indexOf.get(groupOf(element)) ?? null };
}

// A control named "method" or "action" would shadow the form's own property.
function formMethod(form) { return (form.getAttribute('method') ?? 'get').toLowerCase(); }
function formAction(form) {
  const action = form.getAttribute('action');
  try { return new URL(action || form.ownerDocument.URL, form.ownerDocument.baseURI).href; } catch { return form.ownerDocument.URL; }
}
