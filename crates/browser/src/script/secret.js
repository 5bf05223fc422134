// Where a secret would go, and the typing of one: within a single task of the document that was checked.

// Origin of the document that an element stands in, where that is the document's own: one that a server sent. Sandboxed
// documents have none, and `srcdoc`, `about:`, `data:` and `blob:` documents say what whoever wrote them wants.
function originOf(element) {
  const own = safe(safe(element).ownerDocument);
  let origin = '';
  try { origin = new URL(own.URL).origin; } catch { return ''; }
  return /^https?:/.test(origin) && own.defaultView?.origin === origin ? origin : '';
}

// Origins that a field's form may be sent to: by itself, or by one of its buttons. Other schemes stand by their name.
function destinationsOf(element) {
  const form = safe(element).form;
  if (!form) return [];
  const actions = [];
  if (formMethod(form) !== 'dialog') actions.push(formAction(form));
  for (const button of safe(safe(form).getRootNode()).querySelectorAll('button[formaction],input[formaction]')) {
    if (safe(button).form === form) actions.push(safe(button).formAction);
  }
  return [...new Set(actions.map(destination).filter(Boolean))].sort();
}

function destination(action) {
  try {
    const url = new URL(action);
    return /^https?:$/.test(url.protocol) ? url.origin : url.protocol === 'javascript:' ? '' : url.protocol;
  } catch { return 'invalid:'; }
}

// Types a secret into a field, if the field is still where the secret may go. Not with the browser's input: that goes
// wherever the focus is by then, and a frame of another origin may take the focus at any time. From the check to the last
// character no other code runs but this document's own.
function typeSecret({ target, text, origin, destinations }) {
  const { node, fault } = resolve(target);
  if (fault) return { fault };
  if (isDisabled(node)) return { fault: 'disabled' };
  const field = prepareTyping(node);
  if (field.fault || field.needs_click) return field;
  // The page's handlers have run by now.
  const entry = lastTyped;
  const goes = destinationsOf(entry);
  if (!origin || originOf(entry) !== origin || goes.length !== destinations.length || goes.some((each, at) => each !== destinations[at])) return { fault: 'moved' };
  if (!isFocused(entry)) return { fault: 'moved' };
  secretNodes.add(entry);
  if (!field.must_set) safe(safe(entry).ownerDocument).execCommand('insertText', false, text);
  typed({ text, set: field.must_set, stay: true });
  return { ok: true };
}
