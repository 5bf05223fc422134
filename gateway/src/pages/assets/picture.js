// Screenshots: loaded with the key when they come into view, enlarged on a click.

import { picture } from "/assets/api.js";
import { el } from "/assets/dom.js";

export function screenshot(path, description, signal, kind = "shot") {
  const image = el("img", { class: kind, alt: description, loading: "lazy" });
  const button = el("button", { type: "button", class: "picture", "aria-label": `Enlarge: ${description}` }, image);
  button.addEventListener("click", () => image.src && enlarge(image.src, description));
  button.hidden = true;
  const load = async () => {
    const url = await picture(path, signal).catch(() => null);
    if (!url) return;
    signal.addEventListener("abort", () => URL.revokeObjectURL(url));
    image.src = url;
    button.hidden = false;
  };
  load();
  return button;
}

function enlarge(src, description) {
  const dialog = el("dialog", { "aria-label": description, onclose: () => dialog.remove() },
    el("form", { method: "dialog" }, el("button", { class: "plain" }, "Close")),
    el("img", { src, alt: description }));
  dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}
