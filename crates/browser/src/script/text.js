// One walk over the composed tree: what a person reads, line by line, the links, and the elements to act on.

const NODES_MAX = 60000;
// The parser nests no deeper; scripts can, and the walk must not overflow the stack.
const DEPTH_MAX = 512;
const CANDIDATES_MAX = 3000;
// Of one text node, before white space is squeezed.
const NODE_CHARS_MAX = 1000000;
const CHILDREN_TRIED_MAX = 50;
const REGIONS_MAX = 30;
// More than a page says round a form that a person looks over.
const REGION_CHARS_MAX = 20000;
const INLINE = /^inline|^contents$|^ruby/;

// Cells of a table row are separated by " | ", everything else that is a block starts a line.
class Lines {
  // `endsInSpace`, since asking a long line for its last character copies it.
  constructor(limit) { this.lines = []; this.line = ''; this.endsInSpace = false; this.left = limit; this.isCut = false; }
  add(text, keepsLines) {
    if (this.line.length >= this.left) { this.isCut ||= /\S/.test(text); return; }
    if (keepsLines && text.includes('\n')) {
      for (const [at, part] of text.split('\n').entries()) { if (at) this.end(); this.put(part); }
      return;
    }
    const squeezed = text.replace(/[\s\u200b]+/g, ' ');
    if (squeezed === ' ' && (!this.line || this.endsInSpace)) return;
    this.put(this.endsInSpace ? squeezed.trimStart() : squeezed);
  }
  put(text) {
    if (!text) return;
    this.line += text;
    this.endsInSpace = text.endsWith(' ');
  }
  cell() { if (this.line.trim()) { this.line = `${this.line.trimEnd()} | `; this.endsInSpace = true; } }
  end() {
    const line = this.line.replace(/[ |]+$/, '').trim();
    this.line = '';
    this.endsInSpace = false;
    if (!line || this.left <= 0) return;
    const kept = line.length > this.left ? line.slice(0, this.left) : line;
    this.isCut ||= kept !== line;
    this.left -= kept.length + 1;
    this.lines.push(kept);
  }
}

function walk(options) {
  const out = { lines: new Lines(options.textChars), items: [], links: [], forms: new Set(), regions: [], nodes: 0, heading: '', cut: new Set() };
  const until = performance.now() + (options.ms ?? Infinity);
  const seen = new Set();

  const openRegion = () => out.regions.push(new Lines(Math.min(options.textChars, REGION_CHARS_MAX))) - 1;
  const add = (element, proxy, region) => {
    const limit = safe(element).localName === 'a' ? CANDIDATES_MAX : 2 * CANDIDATES_MAX;
    if (seen.has(element)) return;
    if (out.items.length >= limit) { out.cut.add('elements'); return; }
    seen.add(element);
    out.items.push({ element, proxy, heading: out.heading, region });
  };

  const considerElement = (element, isTransparent, hasPointer, around) => {
    const tag = safe(element).localName;
    if (tag === 'label') {
      const control = safe(element).control;
      if (control && /^(checkbox|radio|file)$/.test(safe(control).type) && isHiddenControl(control) && element === visibleLabel(control)) add(control, element, around.region);
      return false;
    }
    if (isControl(element)) {
      if (/^(checkbox|radio|file)$/.test(safe(element).type ?? '') && tag === 'input' && isHiddenControl(element)) {
        const label = visibleLabel(element);
        if (!label) return false;
        add(element, label, around.region);
        return true;
      }
      if (isTransparent && tag !== 'select') return false;
      if (tag !== 'area' && !hasBox(element)) return false;
      add(element, null, around.region);
      return true;
    }
    const isPointer = hasPointer && !around.pointer;
    if ((isPointer || (listening.has(element) && isOneTarget(element))) && !around.control && !around.label && tag !== 'body' && tag !== 'html' && hasBox(element) && !wrapsOneControl(element)) {
      add(element, null, around.region);
      return true;
    }
    return false;
  };

  const visitElement = (element, around) => {
    const own = safe(element);
    const tag = own.tagName;
    if (SKIPPED_TAGS.has(tag)) return;
    // Every property read of a style costs about a microsecond, so each is read once and only where it can matter.
    const style = getComputedStyle(element);
    const display = style.display;
    if (display === 'none') return;
    const isVisible = style.visibility === 'visible';
    const isPlain = !own.hasAttributes();
    const isTransparent = !isPlain && Number(style.opacity) === 0;
    const isShown = isVisible && !isTransparent;
    const isPointer = around.pointer || style.cursor === 'pointer';
    const isControlHere = isVisible && considerElement(element, isTransparent, isPointer, around);
    const isBlock = !INLINE.test(display) || tag === 'BR';
    const isCell = display === 'table-cell';
    const outer = out.regions[around.region];
    for (const lines of [out.lines, outer]) if (isCell) lines.cell(); else if (isBlock) lines.end();
    const isRegion = isRegionRoot(element) && out.regions.length < REGIONS_MAX;
    const region = isRegion ? openRegion() : around.region;
    if (/^H[1-6]$|^LEGEND$/.test(tag) || own.getAttribute('role') === 'heading') out.heading = textOf(element, 80) || out.heading;
    if (tag === 'FORM') out.forms.add(element);
    if (tag === 'A' && isShown && own.href) {
      if (out.links.length < options.links) out.links.push({ text: textOf(element, 200), url: hrefOf(element) });
      else out.cut.add('links');
    }
    if (hasReadableInside(element, tag)) {
      const inside = {
        pointer: isPointer, shown: isShown, invisible: around.invisible || isTransparent || (!isPlain && isClipped(element, style)),
        region, aside: !isRegion && (around.aside || isAside(element)), depth: around.depth + 1, control: around.control || isControlHere, label: around.label || tag === 'LABEL',
      };
      const closedDetails = tag === 'DETAILS' && !own.open;
      for (const child of composedChildren(element)) {
        if (closedDetails && safe(child).localName !== 'summary') continue;
        visit(child, inside);
        if (closedDetails) break;
      }
    }
    if (isBlock && !isCell) for (const lines of [out.lines, outer]) lines.end();
  };

  const visit = (node, around) => {
    if (out.isOver || around.depth > DEPTH_MAX) { out.cut.add(out.isOver ? 'the end' : 'the innermost'); return; }
    // The clock is read now and then.
    out.isOver = ++out.nodes >= NODES_MAX || (out.nodes % 64 === 0 && performance.now() > until);
    const own = safe(node);
    if (own.nodeType === 3) {
      if (around.shown && !around.invisible) {
        if (own.length > NODE_CHARS_MAX) out.cut.add('text');
        const text = own.data.slice(0, NODE_CHARS_MAX), keeps = keepsLines(node);
        out.lines.add(text, keeps);
        if (!around.aside) out.regions[around.region].add(text, keeps);
      }
    } else if (own.nodeType === 1) visitElement(node, around);
  };

  openRegion();
  if (safe(document).documentElement) visit(safe(document).documentElement, { region: 0, aside: false, depth: 0, pointer: false, shown: true, invisible: false, control: false, label: false });
  for (const lines of [out.lines, ...out.regions]) lines.end();
  if (out.lines.isCut) out.cut.add('text');
  return out;
}

// The parts of a page whose text belongs together: what is approved in one of them does not hang on the others. A header or
// footer of a section is a part of it.
function isRegionRoot(element) {
  const own = safe(element);
  if (own.matches('dialog,[role=dialog],[role=alertdialog],nav,[role=navigation],[role=banner],[role=contentinfo]')) return true;
  return /^(header|footer)$/.test(own.localName) && composedClosest(composedParent(element), 'main,article,section,aside,form,dialog,[role=main],[role=dialog]') === null;
}

// Text that leads elsewhere or moves by itself says nothing about what is sent from here.
function isAside(element) {
  return safe(element).matches('a[href],time,[role=timer],[role=marquee],[role=log]');
}

function hasReadableInside(element, tag) {
  if (tag === 'SELECT' || tag === 'TEXTAREA' || tag === 'VIDEO' || tag === 'AUDIO' || tag === 'CANVAS') return false;
  return safe(element).getAttribute('hidden') !== 'until-found';
}

// Whether line breaks in a text show as such; asked only of texts that have one inside.
function keepsLines(text) {
  return text.data.slice(0, NODE_CHARS_MAX).trim().includes('\n') && /^pre|^break/.test(getComputedStyle(composedParent(text)).whiteSpace);
}

function hasBox(element) {
  const box = safe(element).getBoundingClientRect();
  // Of a box without a size, one of its first children has one.
  return (box.width > 1 && box.height > 1) || Array.prototype.slice.call(safe(element).children, 0, CHILDREN_TRIED_MAX).some((child) => { const inner = safe(child).getBoundingClientRect(); return inner.width > 1 && inner.height > 1; });
}

// Text for screen readers only: a box of one pixel that hides what flows over.
function isClipped(element, style) {
  if (style.position !== 'absolute' && style.position !== 'fixed') return false;
  const box = safe(element).getBoundingClientRect();
  if (box.width <= 1 && box.height <= 1 && style.overflow !== 'visible') return true;
  return box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
}

// A listener on a large box is there for what stands in it.
function isOneTarget(element) {
  const box = safe(element).getBoundingClientRect();
  return box.width * box.height < innerWidth * innerHeight / 3 && textOf(element, 200).length < 200;
}

// A clickable box round one real control is that control.
function wrapsOneControl(element) {
  return safe(element).querySelectorAll(CONTROL_SELECTOR).length === 1;
}
