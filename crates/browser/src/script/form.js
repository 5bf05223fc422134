// Forms as a person would read them: labels and values, secrets masked.

const FORM_FIELDS_MAX = 60;
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

function describeForms(items) {
  const groups = new Map();
  const indexOf = new Map();
  for (const item of items) {
    const group = groupOf(item.element);
    const isForm = safe(group).localName === 'form';
    // Links and lone buttons outside forms make no group; fields do.
    if (!isForm && !isField(item.element)) continue;
    if (!groups.has(group)) { indexOf.set(group, groups.size); groups.set(group, { method: isForm ? formMethod(group) : '', action: isForm ? formAction(group) : '', fields: [] }); }
    const { fields } = groups.get(group);
    const field = fields.length < FORM_FIELDS_MAX && isField(item.element) ? fieldOf(item) : null;
    if (field) fields.push(field);
  }
  const forms = [...groups.values()];
  for (const { element } of items) {
    // A button may send the form elsewhere, or otherwise, than the form says.
    if (!doesSubmit(element) || !(safe(element).hasAttribute('formaction') || safe(element).hasAttribute('formmethod'))) continue;
    const own = safe(element), { method, action, fields } = forms[indexOf.get(own.form)];
    indexOf.set(element, forms.push({
      method: own.getAttribute('formmethod')?.toLowerCase() ?? method,
      action: own.hasAttribute('formaction') ? own.formAction : action,
      fields,
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
