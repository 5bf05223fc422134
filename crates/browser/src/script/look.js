// Everything a step needs of the page, in one call.

function look(options) {
  secretFingerprints = new Set(options.secretFingerprints);
  blockTexts = new Map();
  const walked = walk({ textChars: options.snapshotChars, links: options.links, ms: options.walkMs });
  const { cut } = walked;
  const items = choose(walked.items, options.elements);
  if (items.length < walked.items.length) cut.add('elements');
  describeBasics(items);
  const { forms, indexOf } = describeForms(items);
  const elements = items.map((item) => describe(item, indexOf(item.element)));
  const text = walked.lines.lines.join('\n');
  const html = options.htmlBytes > 0 ? serialise(options.htmlBytes) : { text: '', isWhole: true };
  if (!html.isWhole) cut.add('code');
  const scroller = safe(document).scrollingElement ?? safe(document).documentElement;
  return {
    url: safe(document).URL, base_url: safe(document).baseURI, title: safe(document).title, text, links: walked.links, elements, forms, regions: walked.regions.map((region) => region.lines.join('\n')),
    more_below: scroller ? safe(scroller).scrollTop + innerHeight + 8 < safe(scroller).scrollHeight : false,
    is_shown: innerWidth > 20 && innerHeight > 20, still_loading: safe(document).readyState === 'loading',
    cut: [...cut], html: html.text, http_status: httpStatus(),
  };
}

// 0 for a document that no HTTP answer brought.
function httpStatus() {
  return performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0;
}

// With more than the limit, fields and buttons go before links, and what is in the window before what is not.
function choose(items, limit) {
  if (items.length <= limit) return items;
  const weight = ({ element, proxy }) => (safe(element).localName === 'a' ? 2 : 0) + (isInWindow(proxy ?? element) ? 0 : 1);
  const ranked = items.map((item, at) => ({ item, at, weight: weight(item) }));
  ranked.sort((a, b) => a.weight - b.weight || a.at - b.at);
  return ranked.slice(0, limit).sort((a, b) => a.at - b.at).map(({ item }) => item);
}

// The document as it is now, open shadow roots included, without what was typed into secret fields; of one that is over
// the limit, the beginning, which every parser closes by itself.
function serialise(limit) {
  const root = safe(document).documentElement;
  if (!root) return { text: '', isWhole: true };
  const shadowRoots = [];
  const secrets = [];
  const collect = (scope) => {
    for (const element of safe(scope).querySelectorAll('*')) {
      if (safe(element).shadowRoot) { shadowRoots.push(safe(element).shadowRoot); collect(safe(element).shadowRoot); }
      else if (isEntry(element) && isSecretField(element)) secrets.push(element);
    }
  };
  collect(document);
  const isWritten = secrets.some((element) => safe(element).hasAttribute('value') || safe(element).textContent);
  const html = isWritten ? withoutSecrets(root, secrets) : safe(root).getHTML({ serializableShadowRoots: true, shadowRoots });
  const document_ = isWritten ? html : `<html${attributesOf(root)}>${html}</html>`;
  const text = `<!DOCTYPE html>${document_}`;
  if (text.length * 3 <= limit) return { text, isWhole: true };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limit));
  // Up to a tag, so that none is halved.
  return read === text.length ? { text, isWhole: true } : { text: text.slice(0, text.lastIndexOf('<', read - 1)), isWhole: false };
}

function isEntry(element) { return safe(element).localName === 'input' || safe(element).localName === 'textarea' || safe(element).isContentEditable; }

function withoutSecrets(root, secrets) {
  const copy = safe(root).cloneNode(true);
  const originals = safe(root).querySelectorAll('*');
  const copies = safe(copy).querySelectorAll('*');
  const isSecret = new Set(secrets);
  for (let at = originals.length - 1; at >= 0; at--) {
    if (!isSecret.has(originals[at])) continue;
    safe(copies[at]).removeAttribute('value');
    safe(copies[at]).textContent = '';
  }
  return safe(copy).outerHTML;
}

function attributesOf(element) {
  return [...safe(element).attributes].map(({ name, value }) => ` ${name}="${value.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"`).join('');
}
