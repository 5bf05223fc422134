// Signs in and shows one view at a time: the list of runs, or one run. Each view ends with its abort signal.

import { ApiFault, call, key } from "/assets/api.js";
import { el, fill, title, toast } from "/assets/dom.js";
import { showRuns } from "/assets/runs.js";
import { showRun } from "/assets/run.js";

const view = document.getElementById("view");
const signOut = document.getElementById("sign-out");
const live = document.getElementById("live");
let current = new AbortController();

export function setLive(state) {
  live.dataset.state = state;
  live.textContent = { on: "live", retry: "reconnecting", off: "offline", done: "finished" }[state];
}

function leave() {
  current.abort();
  current = new AbortController();
  title();
  setLive("off");
  return current.signal;
}

function route() {
  const signal = leave();
  signOut.hidden = !key.get();
  if (!key.get()) return showSignIn();
  const run = /^#\/runs\/(brun_[0-9a-f]{24})$/.exec(location.hash);
  const shown = run ? showRun(view, run[1], signal, setLive) : showRuns(view, signal, setLive);
  shown.catch((fault) => onFault(fault, signal));
  view.focus({ preventScroll: true });
}

function onFault(fault, signal) {
  if (signal.aborted) return;
  if (fault instanceof ApiFault && fault.status === 401) {
    key.forget();
    route();
    return;
  }
  const back = el("a", { href: "#/" }, "All runs");
  fill(view, [el("section", { class: "card" }, el("h1", {}, "That did not work"), el("p", { class: "fault" }, fault.message), back)]);
}

function showSignIn() {
  const input = el("input", { id: "key", type: "password", autocomplete: "current-password", required: true, spellcheck: "false" });
  const fault = el("p", { class: "fault", role: "alert", hidden: true });
  const submit = async (event) => {
    event.preventDefault();
    key.set(input.value.trim());
    try {
      await call("GET", "/v1/browser/runs?limit=1");
      route();
    } catch (error) {
      key.forget();
      fault.textContent = error.message;
      fault.hidden = false;
      input.select();
    }
  };
  const form = el("form", { class: "card sign-in", onsubmit: submit },
    el("h1", {}, "Sign in"),
    el("p", { class: "soft" }, "With an API key. It stays in this tab and is gone when the tab is closed."),
    el("div", {}, el("label", { for: "key" }, "API key"), input),
    fault,
    el("div", {}, el("button", { type: "submit" }, "Sign in")));
  fill(view, [form]);
  input.focus();
}

signOut.addEventListener("click", () => {
  key.forget();
  location.hash = "#/";
  route();
  toast("Signed out.");
});
window.addEventListener("hashchange", route);
route();
