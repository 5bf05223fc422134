// Everything a step needs of the page, in one call.

function look(options) {
  secretFingerprints = new Set(options.secretFingerprints);
  blockTexts = new Map();
  const walked = walk({ textChars: options.snapshotChars, links: options.links });
  const items = choose(walked.items, options.elements);
  describeBasics(items);
  const { forms, indexOf } = describeForms(items);
  const elements = items.map((item) => describe(item, indexOf(item.element)));
  const text = walked.lines.lines.join('\n');
  const scroller = document.scrollingElement ?? document.documentElement;
  return {
    url: document.URL, base_url: document.baseURI, title: document.title, text, links: walked.links, elements, forms,
    more_below: scroller ? scroller.scrollTop + innerHeight + 8 < scroller.scrollHeight : false,
    is_shown: innerWidth > 20 && innerHeight > 20, still_loading: document.readyState === 'loading',
    html: options.htmlBytes > 0 ? serialise(options.htmlBytes) : '',
  };
}

// With more than the limit, fields and buttons go before links, and what is in the window before what is not.
function choose(items, limit) {
  if (items.length <= limit) return items;
  const weight = ({ element, proxy }) => (element.localName === 'a' ? 2 : 0) + (isInWindow(proxy ?? element) ? 0 : 1);
  const ranked = items.map((item, at) => ({ item, at, weight: weight(item) }));
  ranked.sort((a, b) => a.weight - b.weight || a.at - b.at);
  return ranked.slice(0, limit).sort((a, b) => a.at - b.at).map(({ item }) => item);
}

// The document as it is now, open shadow roots included, without what was typed into secret fields.
function serialise(limit) {
  const root = document.documentElement;
  if (!root) return '';
  const shadowRoots = [];
  const secrets = [];
  const collect = (scope) => {
    for (const element of scope.querySelectorAll('*')) {
      if (element.shadowRoot) { shadowRoots.push(element.shadowRoot); collect(element.shadowRoot); }
      else if (isEntry(element) && isSecretField(element)) secrets.push(element);
    }
  };
  collect(document);
  const isWritten = secrets.some((element) => element.hasAttribute('value') || element.textContent);
  const html = isWritten ? withoutSecrets(root, secrets) : root.getHTML({ serializableShadowRoots: true, shadowRoots });
  const document_ = isWritten ? html : `<html${attributesOf(root)}>${html}</html>`;
  return document_.length > limit ? '' : `<!DOCTYPE html>${document_}`;
}

function isEntry(element) { return element.localName === 'input' || element.localName === 'textarea' || element.isContentEditable; }

function withoutSecrets(root, secrets) {
  const copy = root.cloneNode(true);
  const originals = root.querySelectorAll('*');
  const copies = copy.querySelectorAll('*');
  const isSecret = new Set(secrets);
  for (let at = originals.length - 1; at >= 0; at--) {
    if (!isSecret.has(originals[at])) continue;
    copies[at].removeAttribute('value');
    copies[at].textContent = '';
  }
  return copy.outerHTML;
}

function attributesOf(element) {
  return [...element.attributes].map(({ name, value }) => ` ${name}="${value.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"`).join('');
}
