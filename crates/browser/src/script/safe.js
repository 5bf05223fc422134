// A page's names in place of a node's own properties: a form answers `form.parentNode` with its field of that name, a
// document `document.body` with its image. All other nodes answer for themselves. So what a node has is read from
// `safe(node)`, which takes it from the interface's prototype: no name in the page reaches that.

const nodeTypeOf = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeType').get;
const localNameOf = Object.getOwnPropertyDescriptor(Element.prototype, 'localName').get;
const namespaceOf = Object.getOwnPropertyDescriptor(Element.prototype, 'namespaceURI').get;

const readingFrom = (prototype) => ({
  get: (node, name) => {
    const value = Reflect.get(prototype, name, node);
    return typeof value === 'function' ? value.bind(node) : value;
  },
  set: (node, name, value) => Reflect.set(prototype, name, value, node),
});
const AS_DOCUMENT = readingFrom(Document.prototype);
const AS_FORM = readingFrom(HTMLFormElement.prototype);

function safe(node) {
  if (!node) return node;
  const type = nodeTypeOf.call(node);
  if (type === 9) return new Proxy(node, AS_DOCUMENT);
  if (type !== 1 || localNameOf.call(node) !== 'form') return node;
  return namespaceOf.call(node) === 'http://www.w3.org/1999/xhtml' ? new Proxy(node, AS_FORM) : node;
}
