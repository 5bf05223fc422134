// What a waiting run asks, and the controls that answer it. Every reply names its pause, so that a late click answers
// nothing else.

import { call } from "/assets/api.js";
import { busy, el, link } from "/assets/dom.js";
import { screenshot } from "/assets/picture.js";

const TITLES = { question: "The run has a question", approval: "The run asks for approval", handoff: "The run needs your hands" };

export function needsCard(run, refresh, signal) {
  const needs = run.needs;
  const send = async (reply) => {
    await call("POST", needs.reply, { ...reply, pause: needs.pause });
    await refresh();
  };
  return el("section", { class: "card needs", "aria-label": "What the run needs" },
    el("h2", {}, TITLES[needs.kind] ?? needs.kind),
    el("p", { class: "answer" }, needs.prompt),
    needs.fields?.length ? el("ul", {}, needs.fields.map((field) => el("li", {}, field))) : null,
    needs.kind === "approval" ? stakes(needs) : null,
    controls(needs, send),
    screenshot(needs.screenshot, "The page as it is now", signal));
}

// What it costs, what for, where it goes, and all that is sent: what the page's own words may leave out.
function stakes(needs) {
  const facts = [["Total", needs.total], ["For", needs.items?.join("; ")], ["Sent to", needs.target]].filter(([, fact]) => fact);
  const sent = needs.values ?? [];
  return el("div", {},
    facts.length ? el("ul", {}, facts.map(([name, fact]) => el("li", {}, `${name}: ${fact}`))) : null,
    sent.length ? el("details", {},
      el("summary", {}, `All ${sent.length} values that would be sent`),
      el("ul", {}, sent.map(({ name, label, value }) => el("li", {}, `${label ? `${label} (${name})` : `${name} (hidden)`}: ${value}`)))) : null);
}

function controls(needs, send) {
  if (needs.kind === "approval") return approval(send);
  if (needs.kind === "handoff") return handoff(needs, send);
  return needs.options?.length ? choice(needs.options, send) : question(send);
}

function button(text, kind, reply, send) {
  const node = el("button", { type: "button", class: kind }, text);
  node.addEventListener("click", busy(node, () => send(reply())));
  return node;
}

function approval(send) {
  const note = el("input", { id: "note", maxlength: 10000, placeholder: "Why not, or what instead (optional)" });
  const refusal = () => (note.value.trim() ? { approve: false, note: note.value.trim() } : { approve: false });
  return el("div", { class: "head" },
    el("div", {}, el("label", { for: "note" }, "Note when refusing"), note),
    el("div", { class: "actions" },
      button("Approve", "", () => ({ approve: true }), send),
      button("Refuse", "danger", refusal, send)));
}

function handoff(needs, send) {
  const view = needs.live_view_url;
  return el("div", { class: "actions" },
    view ? link(new URL(view, location.href).href, "Open the live browser") : null,
    button("Done", "", () => ({ done: true }), send));
}

function choice(options, send) {
  return el("div", { class: "actions", role: "group", "aria-label": "Answers" },
    options.map((option) => button(option, "plain", () => ({ answer: option }), send)));
}

function question(send) {
  const input = el("input", { id: "reply", required: true, maxlength: 10000, autocomplete: "off" });
  const submit = el("button", { type: "submit" }, "Answer");
  return el("form", { class: "head", onsubmit: busy(submit, () => send({ answer: input.value })) },
    el("div", {}, el("label", { for: "reply" }, "Your answer"), input),
    el("div", { class: "actions" }, submit));
}
