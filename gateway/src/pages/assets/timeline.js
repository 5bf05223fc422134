// A run's events as a story: one entry per step, person's word, and turn of events.

import { el, fill, link, time } from "/assets/dom.js";
import { screenshot } from "/assets/picture.js";

const OUTCOMES = { acted: "", not_acted: "could not act: ", goal_reached: "goal reached", gave_up: "gave up: ", fatal: "failed: " };

export class Timeline {
  constructor(base, signal) {
    this.base = base;
    this.signal = signal;
    this.node = el("ol", { class: "timeline" });
    this.steps = new Map();
    this.seen = new Set();
  }

  add(event) {
    if (this.seen.has(event.id)) return;
    this.seen.add(event.id);
    const tell = this[event.type];
    if (tell) tell.call(this, event);
  }

  // Events come in the order in which they happened, and so do entries.
  entry(at, tone, ...content) {
    const node = el("li", { "data-tone": tone }, content, at ? el("div", { class: "when" }, time(at)) : null);
    this.node.append(node);
    return node;
  }

  // A step that begins again, after a person's word or the loss of a worker, is told where that happened: an entry of its
  // own, below what came between.
  begin(event) {
    const before = this.steps.get(event.step);
    const step = { node: this.entry(), number: event.step, again: Boolean(before), at: event.at };
    this.steps.set(event.step, step);
    return step;
  }

  step(event) {
    return this.steps.get(event.step) ?? this.begin(event);
  }

  renderStep(step) {
    step.node.dataset.tone = step.tone ?? "";
    fill(step.node, [
      el("div", { class: "what" }, el("strong", {}, `Step ${step.number}${step.again ? ", again" : ""}`), step.action ? ` · ${step.action}` : "",
        step.committing ? el("span", { class: "tag" }, "commits something") : null),
      step.outcome ? el("div", { class: "small" }, step.outcome) : null,
      step.url ? el("div", { class: "small soft" }, link(step.url)) : null,
      step.picture ?? null,
      el("div", { class: "when" }, time(step.at)),
    ]);
  }

  "run.created"(event) {
    this.entry(event.at, "", el("div", { class: "what" }, "Created"));
  }

  "step.started"(event) {
    this.renderStep(this.begin(event));
  }

  "action.chosen"(event) {
    const step = this.step(event);
    Object.assign(step, { action: event.action.description, committing: event.committing, url: event.url });
    this.renderStep(step);
  }

  "step.finished"(event) {
    const step = this.step(event);
    const { kind, detail } = event.outcome;
    step.outcome = `${OUTCOMES[kind] ?? ""}${detail ?? ""}`;
    step.tone = { goal_reached: "good", gave_up: "bad", fatal: "bad" }[kind] ?? "";
    step.url = event.url ?? step.url;
    if (event.screenshot) step.picture = screenshot(event.screenshot, `Page after step ${event.step}`, this.signal, "shot thumb");
    this.renderStep(step);
  }

  "worker.lost"(event) {
    this.entry(event.at, "bad", el("div", { class: "what" }, `Worker lost in step ${event.step}; another one takes over`));
  }

  "run.waiting"(event) {
    const step = this.steps.get(event.step);
    if (step && !step.outcome) {
      step.outcome = "asks a person";
      this.renderStep(step);
    }
    this.entry(event.at, "waiting", el("div", { class: "what" }, `Asked a person: ${event.prompt}`));
  }

  "run.replied"(event) {
    const { answer, approve, note } = event.reply;
    let said = "done";
    if (answer !== undefined) said = answer;
    else if (approve !== undefined) said = approve ? "approved" : `refused${note ? `: ${note}` : ""}`;
    this.entry(event.at, "", el("div", { class: "what" }, `A person replied: ${said}`));
  }

  "run.stop_requested"(event) {
    this.entry(event.at, "bad", el("div", { class: "what" }, "A person stopped it"));
  }

  "run.concluding"(event) {
    this.entry(event.at, "", el("div", { class: "what" }, "Writes answer and data"));
  }

  "run.finished"(event) {
    const tone = event.status === "succeeded" ? "good" : "bad";
    this.entry(event.at, tone, el("div", { class: "what" }, `Finished: ${event.terminal_reason}`));
  }

  "charge.settled"(event) {
    this.entry(event.at, "", el("div", { class: "what" }, `Charged $${event.charge_usd}`));
  }
}
