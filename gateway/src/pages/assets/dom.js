// Makes elements. Text goes in as text nodes only, so that nothing a page said can become markup.

export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (attribute.startsWith("on")) node.addEventListener(attribute.slice(2), value);
    else if (attribute === "class") node.className = value;
    else node.setAttribute(attribute, value === true ? "" : String(value));
  }
  fill(node, children);
  return node;
}

export function fill(node, children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

// A link for web addresses only; anything else stays text.
export function link(url, text = url) {
  if (!/^https?:\/\//i.test(url ?? "")) return el("span", {}, text ?? "");
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, text);
}

const STATUS_WORDS = {
  running: "running",
  waiting_for_human: "waits for you",
  succeeded: "succeeded",
  failed: "failed",
  timed_out: "timed out",
  stopped: "stopped",
};

export const statuses = Object.entries(STATUS_WORDS);

export function statusMark(status) {
  return el("span", { class: "status", "data-status": status }, STATUS_WORDS[status] ?? status ?? "");
}

// The tab's title tells the state: a person who waits looks at tabs.
export function title(...parts) {
  document.title = [...parts, "Errand"].filter(Boolean).join(" · ");
}

export function statusWords(status) {
  return STATUS_WORDS[status] ?? status ?? "";
}

export function isFinal(status) {
  return status !== "running" && status !== "waiting_for_human";
}

export function time(text) {
  if (!text) return "";
  const at = new Date(text);
  return el("time", { datetime: text, title: text }, at.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" }));
}

let hideToast;

export function toast(message) {
  const box = document.getElementById("toast");
  box.textContent = message;
  box.hidden = false;
  clearTimeout(hideToast);
  hideToast = setTimeout(() => { box.hidden = true; }, 6_000);
}

// Runs a button's work once at a time and says what went wrong.
export function busy(button, work) {
  return async (event) => {
    event?.preventDefault();
    button.disabled = true;
    try {
      await work();
    } catch (fault) {
      toast(fault.message);
    } finally {
      button.disabled = false;
    }
  };
}
